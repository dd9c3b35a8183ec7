/** Variables that describe the deployment to its server. Pure. @module */
import type { LocalRoute } from "../../runtime/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import { ownLabel } from "../environments/mod.ts";

/** Returns a deployment's URL: its own for a preview, otherwise that of its environment. */
export function deploymentUrl(
  deployment: DeploymentRecord,
  addresses: Pick<Addresses, "url">,
): string {
  return addresses.url(ownLabel(deployment));
}

/**
 * Returns the hosts that servers reach on this machine. If another program terminates TLS, there
 * are none.
 */
export function localHosts(
  deployment: DeploymentRecord,
  { addresses, localRoutes, custom }: {
    readonly addresses: Pick<Addresses, "url">;
    readonly localRoutes: readonly LocalRoute[];
    readonly custom: readonly string[];
  },
): string[] {
  const { uniqueLabel, branchLabel, references = [] } = deployment;
  const urls = [ownLabel(deployment), uniqueLabel, branchLabel]
    .map((label) => new URL(addresses.url(label)));
  const { protocol, port } = urls[0]!;
  const used = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  if (!localRoutes.some((route) => route.port === used)) return [];
  const known = references.flatMap(({ value }) => value === null ? [] : [new URL(value)]);
  return [...new Set([...[...urls, ...known].map(({ hostname }) => hostname), ...custom])];
}

/**
 * Returns the environment variables for a deployment's server. The project's own variables override
 * these.
 */
export function serverVariables(
  deployment: DeploymentRecord,
  { addresses, variables, stores }: {
    readonly addresses: Pick<Addresses, "url">;
    /** The project's variables in the deployment's snapshot. */
    readonly variables: Readonly<Record<string, string>>;
    /** Variables for the server's key-value store and databases. */
    readonly stores: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const { id, environment, branch, commitSha } = deployment;
  return {
    SVC_URL: deploymentUrl(deployment, addresses),
    SVC_DEPLOYMENT_ID: id,
    SVC_ENVIRONMENT: environment,
    SVC_GIT_BRANCH: branch,
    ...(commitSha === null ? {} : { SVC_GIT_COMMIT_SHA: commitSha }),
    ...stores,
    ...variables,
  };
}

/** Describes a deployment for a hook's caller. Pure. @module */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { TriggerAnswer } from "../../contract/hooks.ts";
import type { Addresses } from "../core/addresses.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";

/** Returns a sentence with a deployment's status. */
export function describeProgress(deployment: DeploymentRecord, addresses: Addresses): string {
  const what = `Deployment of ${deployment.commitSha?.slice(0, 7)} on ${deployment.branch}`;
  switch (deployment.status) {
    case "PENDING":
      return `${what} is waiting to be built`;
    case "BUILDING":
      return `${what} is being built`;
    case "DEPLOYING":
      return `${what} is going live`;
    case "LIVE":
      return `${what} is live at ${addresses.url(deployment.uniqueLabel)}`;
    case "FAILED":
      return `${what} failed: ${deployment.error}`;
    case "STOPPED":
      return deployment.error === null ? `${what} was stopped` : `${what}: ${deployment.error}`;
    case "ROLLED_BACK":
      return `${what} was rolled back`;
  }
}

export function triggerAnswer(
  deployment: DeploymentRecord,
  facts: {
    readonly addresses: Addresses;
    readonly message: string;
    readonly statusUrl: string;
  },
): TriggerAnswer {
  const { addresses, message, statusUrl } = facts;
  const urls = {
    unique: addresses.url(deployment.uniqueLabel),
    branch: addresses.url(deployment.branchLabel),
    production: addresses.url(deployment.projectName),
  };
  return {
    id: deployment.id,
    status: deployment.status,
    isPreview: deployment.environment !== ENVIRONMENT_PRODUCTION,
    url: urls.unique,
    urls,
    message,
    branch: deployment.branch,
    commitSha: deployment.commitSha ?? "",
    error: deployment.error,
    statusUrl,
  };
}

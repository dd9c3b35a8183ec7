/**
 * Decides which host serves which site. Sites are read and compiled when they are first requested.
 *
 * @module
 */
import {
  atHost,
  compileSiteInTurns,
  type FormKeeper,
  type Site,
  type SiteAccess,
  SiteDirectory,
  type SiteObjects,
  withRulesInTurns,
} from "../../edge/mod.ts";
import type { HostBinding, PastDeployment, Publisher } from "../../feed/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import type { BlobSettings } from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { BlobVault } from "../core/store/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { readContent } from "./content.ts";
import { type DeploymentRecord, isReachable } from "./deployment.ts";
import type { DeploymentStore } from "./deployment_store.ts";
import type { DeployedFunctions, DeployedServers } from "./running_code.ts";

export interface SiteParts {
  readonly feed: Publisher;
  readonly vault: BlobVault;
  readonly deployments: DeploymentStore;
  readonly functionService: Pick<DeployedFunctions, "open" | "dispose">;
  readonly computeService: Pick<DeployedServers, "open" | "dispose">;
  /**
   * Returns a project's published rules, which override those of its deployments; `undefined` if
   * there are none.
   */
  publishedRules(projectId: string): Promise<RuntimeRuleSet | undefined>;
  accessOf(projectId: string, workspaceId: string): Promise<SiteAccess>;
  /** Returns the stored objects that a deployment's site serves. */
  objectsOf(
    deployment: DeploymentRecord,
    settings: BlobSettings | undefined,
  ): Promise<SiteObjects | undefined>;
  /** Stores visitors' form submissions. */
  formsOf(deployment: DeploymentRecord): FormKeeper;
  onTrouble(message: string): void;
  readonly now: Clock;
}

async function accessOf(
  { deployments, accessOf }: SiteParts,
  { projectId, deploymentId }: Site,
): Promise<SiteAccess> {
  const deployment = await deployments.find(projectId, deploymentId);
  if (deployment === undefined) throw new Error(`Deployment ${deploymentId} no longer exists`);
  return await accessOf(projectId, deployment.workspaceId);
}

/** Returns a deployment with its content if it can serve requests, otherwise `undefined`. */
export async function findServed(
  { vault, deployments }: Pick<SiteParts, "vault" | "deployments">,
  { projectId, deploymentId }: Pick<HostBinding, "projectId" | "deploymentId">,
) {
  const deployment = await deployments.find(projectId, deploymentId);
  if (deployment === undefined || !isReachable(deployment)) return undefined;
  if (deployment.contentSha === null) return undefined;
  const blobs = vault.of(deployment.workspaceId);
  return { deployment, blobs, content: await readContent(blobs, deployment.contentSha) };
}

/** Reads a deployment and compiles it for the edge. Returns `undefined` if it is not served. */
async function loadSite(parts: SiteParts, target: HostBinding): Promise<Site | undefined> {
  const { functionService, computeService } = parts;
  const found = await findServed(parts, target);
  if (found === undefined) return undefined;
  const { deployment, blobs, content } = found;
  const functions = await functionService.open(deployment, {
    blobs,
    limits: content.manifest.functionLimits,
  });
  const { id: deploymentId, projectId } = deployment;
  const compute = computeService.open(deployment, content, blobs);
  return await compileSiteInTurns({
    ...content,
    deploymentId,
    projectId,
    blobs,
    functions,
    compute,
    objects: await parts.objectsOf(deployment, content.manifest.blobs),
    forms: parts.formsOf(deployment),
  });
}

/** Creates the directory. It has no hosts until {@link pointHosts} is called. */
export function openSites(parts: SiteParts): SiteDirectory {
  const { feed, functionService, computeService } = parts;
  const sites = new SiteDirectory({
    publish: feed.publish,
    load: (target) => loadSite(parts, target),
    readPast: async (projectId, deploymentId) => {
      const found = await findServed(parts, { projectId, deploymentId });
      return found === undefined ? undefined : { ...found.content, blobs: found.blobs };
    },
    now: parts.now,
    onTrouble: parts.onTrouble,
    asShown: async (site, { production: isProduction, projectId }) => {
      const access = await accessOf(parts, site);
      const shown = atHost(site, { isProduction, access });
      const rules = isProduction ? await parts.publishedRules(projectId) : undefined;
      return rules === undefined ? shown : await withRulesInTurns(shown, rules);
    },
    dispose: ({ deploymentId, functions, compute }) => {
      const report = (error: unknown) =>
        parts.onTrouble(`Cannot stop the processes of deployment ${deploymentId}: ${error}`);
      if (functions !== undefined) functionService.dispose(functions).catch(report);
      if (compute !== undefined) computeService.dispose(deploymentId).catch(report);
    },
  });
  feed.include(() => sites.current());
  return sites;
}

/** Reads from the store which deployment each host serves. */
export async function pointHosts(sites: SiteDirectory, { projects, deployments, addresses }: {
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly addresses: Addresses;
}): Promise<void> {
  const production = new Map<string, { name: string; past: readonly PastDeployment[] }>();
  for await (const { id, name, productionPast: past = [] } of projects.all()) {
    production.set(id, { name, past });
  }
  for await (const { label, host } of deployments.hosts()) {
    if (host.deploymentId === null) continue;
    const { projectId, deploymentId } = host;
    const project = production.get(projectId);
    const isProduction = project?.name === label;
    await sites.pointLazily(addresses.hostname(label), {
      projectId,
      deploymentId,
      production: isProduction,
      version: "",
      rolling: host.rolling,
      past: isProduction ? project.past : undefined,
    });
  }
}

/** Removes old deployments, and stops previews of branches that no longer exist. @module */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { GitService } from "../git/mod.ts";
import {
  type DeploymentRecord,
  type DeploymentService,
  type DeploymentStore,
  forgetDeployment,
} from "../deployments/mod.ts";
import { hostRecord, type ProjectRecord, projects, type ProjectStore } from "../projects/mod.ts";
import { planRetention, type RetentionPolicy } from "./plan_retention.ts";
import type { Lease, LeasedStore, Led } from "../../store/mod.ts";
import type { BuildRunner, BuildStore } from "../builds/mod.ts";
import type { SiteDirectory } from "../../edge/mod.ts";
import { latestLabel } from "../environments/mod.ts";
import { commitWithRetries, keys, readRecord } from "../core/store/mod.ts";

interface RemoveServices {
  readonly kv: LeasedStore;
  readonly sites: Pick<SiteDirectory, "removeDeployment">;
  readonly builds: Pick<BuildStore, "removeWith">;
  readonly runner: Pick<BuildRunner, "removeLeftovers">;
  readonly computeService: { remove(deploymentId: string): Promise<void> };
}

/**
 * Removes a deployment. Returns `false` if the deployment is still needed, or was already removed.
 * The next sweep removes blobs and leftovers.
 */
async function removeDeployment(
  services: RemoveServices,
  deployment: DeploymentRecord,
  lease: Lease,
): Promise<boolean> {
  const { sites, runner, computeService } = services;
  if (!await removeRecords(services, deployment, lease)) return false;
  await sites.removeDeployment(deployment.id);
  await computeService.remove(deployment.id);
  await runner.removeLeftovers({ projectId: deployment.projectId, deploymentId: deployment.id });
  return true;
}

async function removeRecords(
  { kv, builds }: RemoveServices,
  deployment: DeploymentRecord,
  lease: Lease,
): Promise<boolean> {
  const { id, projectId, workspaceId } = deployment;
  const projectKey = keys.project(workspaceId, projectId);
  const deploymentKey = keys.deployment(projectId, id);
  return await commitWithRetries(kv, [projectKey, deploymentKey], async (operation) => {
    const project = await readRecord(kv, projectKey, projects.schema);
    const stored = await kv.get(deploymentKey);
    if (project === undefined || stored.versionstamp === null) return false;
    const shared = [
      project.value.name,
      deployment.branchLabel,
      latestLabel(project.value, deployment.environment),
    ];
    for (const label of shared) {
      const key = keys.host(label);
      const host = await readRecord(kv, key, hostRecord);
      if (host?.value.deploymentId === id) return false;
      operation.check({ key, versionstamp: host?.versionstamp ?? null });
    }
    operation.check(stored, { key: projectKey, versionstamp: project.versionstamp })
      .set(projectKey, forgetDeployment(project.value, id))
      .delete(stored.key)
      .delete(keys.deploymentOwner(id))
      .delete(keys.openUpload(workspaceId, id))
      .delete(keys.deploymentVariables(id))
      .delete(keys.host(deployment.uniqueLabel));
    await builds.removeWith(operation, deployment);
    return true;
  }, { lease });
}

export interface PruneServices extends RemoveServices {
  readonly projects: Pick<ProjectStore, "all">;
  readonly deployments: Pick<DeploymentStore, "all" | "hosts">;
  readonly deploymentService: Led<Pick<DeploymentService, "stop">>;
  readonly git: Pick<GitService, "branches">;
}

interface PruneReport {
  readonly removed: number;
  readonly stopped: number;
}

/**
 * Returns the IDs of the deployments at shared URLs, by project. They include the new deployments
 * of rolling releases.
 */
async function shownDeployments(
  deployments: PruneServices["deployments"],
): Promise<Map<string, Set<string>>> {
  const labels = new Map<string, Set<string>>();
  const unique = new Map<string, string>();
  for await (const { id, uniqueLabel } of deployments.all()) unique.set(uniqueLabel, id);
  for await (const { label, host } of deployments.hosts()) {
    const shown = labels.get(host.projectId) ?? new Set();
    const { deploymentId, rolling } = host;
    if (deploymentId !== null && unique.get(label) !== deploymentId) shown.add(deploymentId);
    if (rolling !== undefined) shown.add(rolling.deploymentId);
    labels.set(host.projectId, shown);
  }
  return labels;
}

async function deploymentsOf(
  deployments: PruneServices["deployments"],
  projectId: string,
): Promise<DeploymentRecord[]> {
  const all: DeploymentRecord[] = [];
  for await (const deployment of deployments.all(projectId)) all.push(deployment);
  return all;
}

/**
 * Returns whether a deployment is a preview of a git branch, which is no longer needed once that
 * branch is deleted.
 */
function isPreviewOfBranch(deployment: DeploymentRecord, project: ProjectRecord): boolean {
  return deployment.source === "git" && deployment.status === "LIVE" &&
    deployment.environment !== ENVIRONMENT_PRODUCTION && deployment.branch !== project.branch;
}

async function stopDeletedBranches(
  { git, deploymentService }: PruneServices,
  project: ProjectRecord,
  options: {
    readonly deployments: readonly DeploymentRecord[];
    readonly signal: AbortSignal;
    readonly lease: Lease;
  },
): Promise<number> {
  const previews = options.deployments.filter((each) => isPreviewOfBranch(each, project));
  if (previews.length === 0 || project.gitUrl === null) return 0;
  const found = await git.branches(project, options.signal)
    .catch((cause) => ({ type: "unreachable" as const, reason: String(cause) }));
  // A repository without branches is probably broken, so no preview is stopped.
  if (found.type !== "found" || found.branches.size === 0) return 0;
  const gone = previews.filter(({ branch }) => !found.branches.has(branch));
  for (const deployment of gone) {
    await deploymentService.stop(deployment, project, {}, options.lease);
  }
  return gone.length;
}

/** Runs one round. It can run at any time. */
export async function pruneDeployments(
  services: PruneServices,
  policy: RetentionPolicy,
  options: { readonly now: number; readonly signal: AbortSignal },
  lease: Lease,
): Promise<PruneReport> {
  const shown = await shownDeployments(services.deployments);
  let [removed, stopped] = [0, 0];
  for await (const project of services.projects.all()) {
    if (options.signal.aborted) break;
    const deployments = await deploymentsOf(services.deployments, project.id);
    stopped += await stopDeletedBranches(services, project, { deployments, ...options, lease });
    const { productionHistory } = project;
    const facts = { deployments, shown: shown.get(project.id) ?? new Set(), productionHistory };
    for (const deployment of planRetention(facts, policy, options.now)) {
      if (await removeDeployment(services, deployment, lease)) removed++;
    }
  }
  return { removed, stopped };
}

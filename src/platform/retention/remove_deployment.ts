/**
 * Removes a deployment with all that belongs to it alone. One commit removes it
 * from the store, unless a shared address shows it by then; the next sweep
 * removes its blobs, and files that a crash left behind.
 *
 * @module
 */
import type { BuildRunner, BuildStore } from "../builds/mod.ts";
import type { SiteDirectory } from "../../edge/mod.ts";
import { type DeploymentRecord, withoutDeployment } from "../deployments/mod.ts";
import { hostRecord, projects } from "../projects/mod.ts";
import { latestLabel } from "../environments/mod.ts";
import { commitWithRetries, keys, readRecord } from "../core/store/mod.ts";
import type { Lease, LeasedStore } from "../../store/mod.ts";

export interface RemoveServices {
  readonly kv: LeasedStore;
  readonly sites: Pick<SiteDirectory, "removeDeployment">;
  readonly builds: Pick<BuildStore, "removeWith">;
  readonly runner: Pick<BuildRunner, "removeLeftovers">;
  readonly computeService: { remove(deploymentId: string): Promise<void> };
}

/** Removes a deployment; false if it is needed after all, or gone. */
export async function removeDeployment(
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
    const productionHistory = withoutDeployment(project.value.productionHistory, id);
    operation.check(stored, { key: projectKey, versionstamp: project.versionstamp })
      .set(projectKey, { ...project.value, productionHistory })
      .delete(stored.key)
      .delete(keys.deploymentOwner(id))
      .delete(keys.openUpload(workspaceId, id))
      .delete(keys.deploymentVariables(id))
      .delete(keys.host(deployment.uniqueLabel));
    await builds.removeWith(operation, deployment);
    return true;
  }, { lease });
}

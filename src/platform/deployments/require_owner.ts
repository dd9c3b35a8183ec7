/** Finds the owner of a deployment in the caller's workspace. @module */
import { type Caller, reachesProject } from "../core/access/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { DeploymentStore } from "./deployment_store.ts";

/** @throws {Failure} `not_found`, also for deployments in other workspaces. */
export async function requireOwner(deployments: DeploymentStore, caller: Caller, id: string) {
  const owner = await deployments.owner(id);
  if (owner?.workspaceId === caller.workspace.id && reachesProject(caller, owner.projectId)) {
    return owner;
  }
  throw unknownDeployment(caller, id);
}

export const unknownDeployment = ({ workspace }: Caller, id: string): Failure =>
  new Failure("not_found", `Deployment ${id} does not exist in workspace "${workspace.slug}"`);

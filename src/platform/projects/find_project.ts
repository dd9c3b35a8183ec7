/** Finds the project that a path names, within the caller's workspace. @module */
import { type Caller, reachesProject } from "../core/access/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "./project.ts";
import type { ProjectStore } from "./project_store.ts";

/** Finds a project by ID or name. Projects in other workspaces are treated as unknown. */
export async function findProject(
  projects: ProjectStore,
  caller: Caller,
  idOrName: string,
): Promise<ProjectRecord> {
  const project = await projects.findEither(caller.workspace.id, idOrName);
  if (project === undefined || !reachesProject(caller, project.id)) {
    const { slug } = caller.workspace;
    throw new Failure("not_found", `Project "${idOrName}" does not exist in workspace "${slug}"`);
  }
  return project;
}

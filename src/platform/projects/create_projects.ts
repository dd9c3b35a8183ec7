/**
 * Composes projects.
 *
 * @module
 */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { projectKeys } from "./deletions.ts";
import { GitCredentialStore } from "./git_credentials.ts";
import { ProjectStore } from "./project_store.ts";
import { bindProjectRoutes, type ProjectRouteServices } from "./routes.ts";

export interface Projects {
  readonly projects: ProjectStore;
  readonly gitCredentials: GitCredentialStore;
  readonly capability: Capability;
}

export function createProjects(
  foundation: Pick<Foundation, "kv" | "box" | "addresses" | "now" | "random">,
  parts: Pick<ProjectRouteServices, "gitRefusal" | "deleteProject">,
): Projects {
  const { kv, box } = foundation;
  const projects = new ProjectStore(kv);
  const gitCredentials = new GitCredentialStore(kv, box);
  return {
    projects,
    gitCredentials,
    capability: {
      name: "projects",
      bindRoutes: (router) =>
        bindProjectRoutes(router, { ...foundation, ...parts, projects, gitCredentials }),
      projectKeys: (projectId) => projectKeys(kv, projectId),
    },
  };
}

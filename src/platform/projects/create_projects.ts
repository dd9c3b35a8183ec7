/**
 * Composes projects.
 *
 * @module
 */
import { MAX_COUNTED } from "../../contract/usage.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, keys } from "../core/store/mod.ts";
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
      async workspaceUsage(workspaceId) {
        const used = await countBelow(kv, keys.projects(workspaceId), MAX_COUNTED);
        return [{ subject: "projects", of: null, used, limit: null }];
      },
    },
  };
}

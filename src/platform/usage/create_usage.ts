/**
 * `GET /v1/usage`, for a workspace or a project. Each capability reports its usage and limits.
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { Capability } from "../core/capability.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";

export function createUsage(
  { projects, capabilities }: {
    readonly projects: ProjectStore;
    readonly capabilities: readonly Capability[];
  },
): Capability {
  return {
    name: "usage",
    bindRoutes(router) {
      router.guarded(endpoints.listUsage, async ({ workspace }) => {
        const parts = capabilities.map((each) => each.workspaceUsage?.(workspace.id) ?? []);
        return { items: (await Promise.all(parts)).flat() };
      });
      router.guarded(endpoints.listProjectUsage, async (caller, { params }) => {
        const { id } = await findProject(projects, caller, params.project);
        const parts = capabilities.map((each) => each.projectUsage?.(id) ?? []);
        return { items: (await Promise.all(parts)).flat() };
      });
    },
  };
}

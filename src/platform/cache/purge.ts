/**
 * `POST /v1/projects/{project}/purge`: removes what the edge caches.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import type { ComputeService } from "../compute/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { SiteDirectory } from "../deployments/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";

export interface CacheServices {
  readonly projects: ProjectStore;
  readonly sites: SiteDirectory;
  readonly computeService: Pick<ComputeService, "purge">;
}

export function createCache(services: CacheServices): Capability {
  const { projects, sites, computeService } = services;
  return {
    name: "cache",
    bindRoutes(router) {
      router.guarded(endpoints.purgeCache, async (caller, { params, body }) => {
        const project = await findProject(projects, caller, params.project);
        let purged = 0;
        for (const id of sites.deploymentsOf(project.id)) {
          purged += await computeService.purge(id, body);
        }
        return { purged };
      });
    },
  };
}

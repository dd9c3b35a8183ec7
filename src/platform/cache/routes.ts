/**
 * `POST /v1/projects/{project}/purge`.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import type { HttpCache } from "../../edge/mod.ts";
import type { ComputeService } from "../compute/compute_service.ts";
import type { SiteDirectory } from "../deployments/site_directory.ts";
import type { Router } from "../core/http/router.ts";
import { findProject } from "../projects/find_project.ts";
import type { ProjectStore } from "../projects/project_store.ts";

export function bindCacheRoutes(
  router: Router,
  services: {
    readonly projects: ProjectStore;
    readonly sites: SiteDirectory;
    readonly cache: HttpCache;
    readonly computeService: Pick<ComputeService, "purge">;
  },
): void {
  const { projects, sites, cache, computeService } = services;

  router.guarded(endpoints.purgeCache, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    let purged = 0;
    for (const id of sites.deploymentsOf(project.id)) {
      purged += cache.purge(id, body) + await computeService.purge(id, body);
    }
    return { purged };
  });
}

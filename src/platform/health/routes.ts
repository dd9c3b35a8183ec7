/**
 * `GET /v1/projects/{project}/health`.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import type { Router } from "../core/http/router.ts";
import { findProject } from "../projects/find_project.ts";
import type { ProjectStore } from "../projects/project_store.ts";
import type { HealthMonitor } from "./health_monitor.ts";

export function bindHealthRoutes(
  router: Router,
  services: { readonly projects: ProjectStore; readonly healthMonitor: HealthMonitor },
): void {
  const { projects, healthMonitor } = services;
  router.guarded(
    endpoints.getProjectHealth,
    async (caller, { params }) =>
      await healthMonitor.of(await findProject(projects, caller, params.project)),
  );
}

/**
 * `GET /v1/projects/{project}/health`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
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

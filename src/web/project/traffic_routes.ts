/**
 * `/workspaces/{slug}/projects/{project}/traffic`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { TRAFFIC_RANGES } from "../../contract/traffic.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { environmentNames } from "./environment_names.ts";
import { openProject } from "./open_project.ts";
import { trafficPage } from "./traffic_page.tsx";

export function bindTraffic(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/traffic", async (visit) => {
    const parts = await openProject(visit, services);
    const wanted = visit.query.get("range");
    const range = TRAFFIC_RANGES.find((name) => name === wanted) ?? "day";
    const environments = await environmentNames(parts);
    const asked = visit.query.get("environment");
    const environment = environments.find((name) => name === asked) ?? "production";
    const report = await parts.api.call(endpoints.getTraffic, {
      params: { project: parts.project.name },
      query: { range, environment },
    });
    return trafficPage(parts, { report, environments });
  });
}

/**
 * `/workspaces/{slug}/projects/{project}/usage`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { openProject } from "./open_project.ts";
import { projectUsagePage } from "./usage_page.tsx";

export function bindUsage(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/usage", async (visit) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name };
    const { items } = await parts.api.call(endpoints.listProjectUsage, { params });
    return projectUsagePage(parts, items);
  });
}

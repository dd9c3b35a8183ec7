/** @module `/workspaces/{slug}/projects/{project}/builds`. */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { buildsPage } from "./builds_page.tsx";
import { cursorOf, openProject } from "./open_project.ts";

/** Number of builds per page. */
const SIZE = 20;

export function bindBuilds(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/builds", async (visit) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items: builds, nextCursor } = await parts.api.call(endpoints.listBuilds, {
      params: { project: parts.project.name },
      query: { limit: SIZE, cursor: cursor ?? undefined },
    });
    return buildsPage(parts, { builds, nextCursor });
  });
}

/**
 * `/workspaces/{slug}/projects/{project}/logs`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { LOG_LEVELS } from "../../contract/logs.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { logsPage } from "./logs_page.tsx";
import { cursorOf, openProject } from "./open_project.ts";

/** Lines on one page. */
const SIZE = 100;
/** Longest text that is searched for, as the API takes it. */
const MAX_SEARCH = 200;

export function bindLogs(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/logs", async (visit) => {
    const parts = await openProject(visit, services);
    const search = (visit.query.get("search") ?? "").slice(0, MAX_SEARCH);
    const level = LOG_LEVELS.find((name) => name === visit.query.get("level"));
    const cursor = cursorOf(parts);
    const { items, nextCursor, missingNodes = [] } = await parts.api.call(endpoints.listLogs, {
      params: { project: parts.project.name },
      query: {
        limit: SIZE,
        ...(search === "" ? {} : { search }),
        ...(level === undefined ? {} : { level }),
        ...(cursor === null ? {} : { cursor }),
      },
    });
    return logsPage(parts, {
      items,
      nextCursor,
      missingNodes,
      search,
      level: level ?? "",
      cursor,
    });
  });
}

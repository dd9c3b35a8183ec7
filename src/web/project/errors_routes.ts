/**
 * `/workspaces/{slug}/projects/{project}/errors`, and the page of one error below it.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import { errorPage, errorsPage } from "./errors_page.tsx";
import { cursorOf, openProject } from "./open_project.ts";

/** Errors on one page. */
const SIZE = 50;

export function bindErrors(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/errors", async (visit) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items, nextCursor } = await parts.api.call(endpoints.listErrors, {
      params: { project: parts.project.name },
      query: { limit: SIZE, ...(cursor === null ? {} : { cursor }) },
    });
    return errorsPage(parts, { items, nextCursor, cursor });
  });

  bind.personal("GET", "/workspaces/:slug/projects/:project/errors/:error", async (visit) => {
    const parts = await openProject(visit, services);
    const params = endpoints.getError.params.safeParse({
      project: parts.project.name,
      error: visit.params.error,
    });
    if (!params.success) {
      throw new Failure("not_found", `Error ${visit.params.error} does not exist`);
    }
    return errorPage(parts, await parts.api.call(endpoints.getError, { params: params.data }));
  });
}

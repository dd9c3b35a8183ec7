/** @module `/workspaces/{slug}/projects/{project}/databases`. */
import { CU_SIZES } from "../../contract/databases.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { type FormPage, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import { cursorOf, openProject } from "../project/open_project.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { bindDatabase } from "./database_routes.ts";
import { databasesPage } from "./databases_page.tsx";
import { bindDiff } from "./diff_page.tsx";
import { bindSql } from "./sql_routes.ts";
import { bindTables } from "./tables_routes.ts";

const AT = "/workspaces/:slug/projects/:project/databases";

export function bindDatabases(bind: PageBinder, services: BoardServices): void {
  const showAll = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items: databases, nextCursor } = await parts.api.call(endpoints.listDatabases, {
      params: { project: parts.project.name },
      query: { cursor: cursor ?? undefined },
    });
    return databasesPage(parts, { ...shown, databases, nextCursor });
  };

  bind.personal("GET", AT, (visit) => showAll(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project, path } = await openProject(visit, services);
    const { name = "", cuSize } = visit.fields;
    try {
      await api.call(endpoints.createDatabase, {
        params: { project: project.name },
        body: { name, cuSize: CU_SIZES.find((size) => size === cuSize) ?? "0.25" },
      });
      return goTo(`${path(`databases/${name}`)}?done=database-made`);
    } catch (error) {
      return showAll(visit, refused(error, visit.fields));
    }
  });

  bindDatabase(bind, services);
  bindTables(bind, services);
  bindSql(bind, services);
  bindDiff(bind, services);
}

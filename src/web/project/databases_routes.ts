/**
 * `/workspaces/{slug}/projects/{project}/databases`.
 *
 * @module
 */
import { CU_SIZES, MAIN_BRANCH } from "../../contract/databases.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { type FormPage, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { Failure, toFailure } from "../../platform/core/http/mod.ts";
import { type AskedQuery, databasePage } from "./database_page.tsx";
import { databasesPage } from "./databases_page.tsx";
import { askOnProject, cursorOf, openProject, type ProjectVisit } from "./open_project.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { type QueryOutcome, readQuery } from "./read_query.ts";

const AT = "/workspaces/:slug/projects/:project/databases";

/** Runs a query; a refusal is an outcome as well. */
async function runQuery(
  { api, project }: ProjectVisit,
  database: string,
  { sql, branch, mayChange }: AskedQuery,
): Promise<QueryOutcome> {
  try {
    const path = `/v1/projects/${project.id}/databases/${encodeURIComponent(database)}/query`;
    return await readQuery(await api.raw(path, { sql, branch, readOnly: !mayChange }));
  } catch (error) {
    const failure = toFailure(error);
    if (failure.status >= 500 && failure.code !== "unavailable") throw error;
    return { results: [], notices: [], isCut: false, error: failure.message };
  }
}

export function bindDatabases(bind: PageBinder, services: BoardServices): void {
  const showAll = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items: databases, nextCursor } = await parts.api.call(endpoints.listDatabases, {
      params: { project: parts.project.name },
      query: cursor === null ? {} : { cursor },
    });
    return databasesPage(parts, { ...shown, databases, nextCursor });
  };

  /** The parameters of the database that the path names. @throws {Failure} `not_found` */
  const paramsOf = (visit: PersonVisit, { project }: ProjectVisit) => {
    const named = { project: project.name, database: visit.params.database ?? "" };
    const parsed = endpoints.getDatabase.params.safeParse(named);
    if (parsed.success) return parsed.data;
    throw new Failure("not_found", `Database "${named.database}" does not exist`);
  };

  const showOne = async (
    visit: PersonVisit,
    shown: FormPage & { readonly asked?: AskedQuery } = {},
  ) => {
    const parts = await openProject(visit, services);
    const params = paramsOf(visit, parts);
    const [database, { items: branches }] = await Promise.all([
      parts.api.call(endpoints.getDatabase, { params }),
      parts.api.call(endpoints.listDatabaseBranches, { params }),
    ]);
    return databasePage(parts, { database, branches }, shown);
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

  bind.personal("GET", `${AT}/:database`, (visit) => showOne(visit));

  bind.personal("POST", `${AT}/:database/query`, async (visit) => {
    const parts = await openProject(visit, services);
    const { sql = "", branch = MAIN_BRANCH, mayChange } = visit.fields;
    const asked = { sql, branch, mayChange: mayChange !== undefined };
    const outcome = await runQuery(parts, paramsOf(visit, parts).database, asked);
    return showOne(visit, { asked: { ...asked, outcome } });
  });

  bind.personal("POST", `${AT}/:database/branches`, async (visit) => {
    const parts = await openProject(visit, services);
    const params = paramsOf(visit, parts);
    const { name = "", from = MAIN_BRANCH } = visit.fields;
    try {
      await parts.api.call(endpoints.createDatabaseBranch, { params, body: { name, from } });
      return parts.back(`databases/${params.database}`, "branch-made");
    } catch (error) {
      return showOne(visit, refused(error, visit.fields));
    }
  });

  bind.asking(`${AT}/:database/branches/remove`, {
    ask: askOnProject(services, ({ visit }) => QUESTIONS.databaseBranch(visit.fields.branch ?? "")),
    run: async (visit) => {
      const parts = await openProject(visit, services);
      const params = paramsOf(visit, parts);
      const branch = visit.fields.branch ?? "";
      await parts.api.call(endpoints.deleteDatabaseBranch, { params: { ...params, branch } });
      return parts.back(`databases/${params.database}`, "branch-removed");
    },
  });
}

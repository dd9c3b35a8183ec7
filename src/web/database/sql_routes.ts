/** @module `/workspaces/{slug}/projects/{project}/databases/{database}/sql`. */
import { Failure } from "../../platform/core/http/mod.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { downloadRows } from "./download_rows.ts";
import { DATABASE_AT, openDatabase, requireBranch } from "./open_database.ts";
import { runForPage } from "./run_statement.ts";
import { sqlPage } from "./sql_page.tsx";

const AT = `${DATABASE_AT}/sql`;

export function bindSql(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", AT, async (visit) => {
    const opened = await openDatabase(visit, services);
    requireBranch(opened);
    return sqlPage(opened, { sql: "", mayChange: false });
  });

  bind.personal("POST", AT, async (visit) => {
    const opened = await openDatabase(visit, services);
    requireBranch(opened);
    const { sql = "", mayChange } = visit.fields;
    const began = services.now();
    const outcome = await runForPage(opened.place, { sql, readOnly: mayChange === undefined });
    return sqlPage(opened, {
      sql,
      mayChange: mayChange !== undefined,
      outcome,
      durationMs: services.now() - began,
    });
  });

  bind.personal("POST", `${AT}/rows`, async (visit) => {
    const opened = await openDatabase(visit, services);
    requireBranch(opened);
    const { sql = "", format, result = "0" } = visit.fields;
    if (!/^\d{1,2}$/.test(result)) throw new Failure("invalid_request", "Choose a result");
    return await downloadRows(opened.place, {
      sql,
      format: format === "json" ? "json" : "csv",
      name: opened.database.name,
      result: Number(result),
    });
  });
}

/** @module `/workspaces/{slug}/projects/{project}/databases/{database}/tables`. */
import { Failure } from "../../platform/core/http/mod.ts";
import { goTo } from "../layout/document.tsx";
import type { Fields } from "../layout/form.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { askOnProject, canChange } from "../project/open_project.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { downloadRows, type RowFormat } from "./download_rows.ts";
import { gridQuery, gridSelectionIn, tableIn } from "./grid_selection.ts";
import { DATABASE_AT, type DatabaseVisit, openDatabase, requireBranch } from "./open_database.ts";
import { type Catalog, parseCatalog, selectCatalog, type TableDetails } from "./read_catalog.ts";
import { rowPage } from "./row_page.tsx";
import { changedValues, newValues, type StoredRow, storedRow } from "./row_values.ts";
import { runStatement, StatementError } from "./run_statement.ts";
import { deleteRow, insertRow, selectAll, selectRow, selectRows, updateRow } from "./table_sql.ts";
import { type Grid, readOnlyReason, tablesPage } from "./tables_page.tsx";

const AT = `${DATABASE_AT}/tables`;

/** Maximum number of columns in the grid. */
const MAX_COLUMNS = 40;
/** Maximum number of characters in all of a grid's values together, and in a row's form. */
const [GRID_TEXT, FORM_TEXT] = [60_000, 60_000];
/** Maximum size of a row's form, in bytes. */
const MAX_ROW_FORM = 1024 * 1024;

/** Returns the number of rows per page, which is lower for wide tables. */
const sizeOf = ({ columns }: TableDetails): number => columns.length > 12 ? 25 : 50;

const formLength = ({ columns }: TableDetails): number =>
  Math.min(20_000, Math.floor(FORM_TEXT / columns.length));

async function readCatalog({ place, parts }: DatabaseVisit): Promise<Catalog> {
  const { rows } = await runStatement(place, selectCatalog(tableIn(parts.visit.query)), {
    readOnly: true,
  });
  return parseCatalog(rows[0]?.[0] ?? "");
}

/** Finds the table in the URL. @throws {Failure} */
async function requireTable(visit: DatabaseVisit): Promise<TableDetails> {
  requireBranch(visit);
  const { table } = tableIn(visit.parts.visit.query);
  const found = await readCatalog(visit).catch((error) => {
    throw error instanceof StatementError ? new Failure("conflict", error.message) : error;
  });
  if (found.table === undefined || table === "") {
    throw new Failure("not_found", `Table "${table}" does not exist`);
  }
  return found.table;
}

/** Like `requireTable`, for a table with editable rows. */
async function requireEditable(visit: DatabaseVisit): Promise<TableDetails> {
  if (!canChange(visit.parts)) {
    throw new Failure("forbidden", "Your role can't change data in databases");
  }
  const table = await requireTable(visit);
  const reason = readOnlyReason(table);
  if (reason !== undefined) throw new Failure("conflict", reason);
  return table;
}

async function readGrid({ place, parts }: DatabaseVisit, table: TableDetails): Promise<Grid> {
  const selection = gridSelectionIn(parts.visit.query, table);
  const columns = table.columns.slice(0, MAX_COLUMNS);
  const size = sizeOf(table);
  const length = Math.max(20, Math.min(200, Math.floor(GRID_TEXT / (size * columns.length))));
  const shown = { selection, columns, length };
  try {
    const { rows } = await runStatement(
      place,
      selectRows(table, selection, { columns, length, size }),
      { readOnly: true },
    );
    return { ...shown, rows: rows.slice(0, size), hasMore: rows.length > size };
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    return { ...shown, rows: [], hasMore: false, error: error.message };
  }
}

async function showTables(visit: DatabaseVisit): Promise<Response> {
  requireBranch(visit);
  if (!canChange(visit.parts)) return tablesPage(visit, { catalog: undefined, size: 0 });
  try {
    const catalog = await readCatalog(visit);
    const { table } = catalog;
    const { table: wanted } = tableIn(visit.parts.visit.query);
    if (table === undefined) {
      const error = wanted === "" ? undefined : `Table "${wanted}" does not exist`;
      return tablesPage(visit, { catalog, size: 0, error });
    }
    return tablesPage(visit, { catalog, grid: await readGrid(visit, table), size: sizeOf(table) });
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    return tablesPage(visit, { catalog: undefined, error: error.message, size: 0 });
  }
}

const keyIn = ({ parts }: DatabaseVisit): string[] => parts.visit.query.getAll("key");

/** Finds the row in the URL. @throws {Failure} `not_found` */
async function requireRow(visit: DatabaseVisit, table: TableDetails): Promise<StoredRow> {
  const length = formLength(table);
  const statement = selectRow(table, keyIn(visit), length);
  const { rows } = await runStatement(visit.place, statement, { readOnly: true }).catch((error) => {
    throw error instanceof StatementError ? new Failure("invalid_request", error.message) : error;
  });
  if (rows[0] === undefined) throw new Failure("not_found", "This row no longer exists");
  return storedRow(table, rows[0], length);
}

/** Redirects to the page of rows that the person came from. */
function backToRows(visit: DatabaseVisit, table: TableDetails, done: string): Response {
  const { place: { branch }, parts, path } = visit;
  const query = gridQuery(
    { branch, schema: table.schema, table: table.name },
    gridSelectionIn(parts.visit.query, table),
  );
  query.set("done", done);
  return goTo(`${path("tables")}?${query}`);
}

/**
 * Returns the values that someone else has saved in the columns that the person wants to change.
 */
const newerValues = (
  stored: StoredRow,
  changed: Iterable<string>,
): Map<string, string | null> =>
  new Map([...changed].map((name) => [name, stored.values.get(name) ?? null]));

async function saveRow(visit: DatabaseVisit, fields: Fields): Promise<Response> {
  const table = await requireEditable(visit);
  const stored = await requireRow(visit, table);
  const values = changedValues(table, stored, fields);
  const state = { values: fields, problems: {} };
  const conflict = (now: StoredRow) =>
    rowPage(visit, table, {
      stored: now,
      newer: newerValues(now, changedValues(table, now, fields).keys()),
      state,
      status: 409,
    });
  if (values.size === 0) return backToRows(visit, table, "row-same");
  if (stored.fingerprint !== fields.fingerprint) return conflict(stored);
  const { fingerprint } = stored;
  const key = keyIn(visit);
  try {
    const { command } = await runStatement(
      visit.place,
      updateRow(table, { key, fingerprint, values }),
      { readOnly: false },
    );
    if (command === "UPDATE 0") return conflict(await requireRow(visit, table));
    return backToRows(visit, table, "row-saved");
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    return rowPage(visit, table, {
      stored,
      state: { ...state, failure: error.message },
      status: 400,
    });
  }
}

async function addRow(visit: DatabaseVisit, fields: Fields): Promise<Response> {
  const table = await requireEditable(visit);
  try {
    await runStatement(visit.place, insertRow(table, newValues(table, fields)), {
      readOnly: false,
    });
    return backToRows(visit, table, "row-added");
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    const state = { values: fields, problems: {}, failure: error.message };
    return rowPage(visit, table, { state, status: 400 });
  }
}

async function removeRow(visit: DatabaseVisit, fields: Fields): Promise<Response> {
  const table = await requireEditable(visit);
  const statement = deleteRow(table, keyIn(visit), fields.fingerprint ?? "");
  try {
    const { command } = await runStatement(visit.place, statement, { readOnly: false });
    if (command !== "DELETE 0") return backToRows(visit, table, "row-removed");
    const failure =
      "Someone changed this row after you opened it. Check the row before you delete it.";
    const stored = await requireRow(visit, table);
    return rowPage(visit, table, {
      stored,
      state: { values: {}, problems: {}, failure },
      status: 409,
    });
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    const stored = await requireRow(visit, table);
    const state = { values: {}, problems: {}, failure: error.message };
    return rowPage(visit, table, { stored, state, status: 400 });
  }
}

async function download(visit: DatabaseVisit, format: RowFormat): Promise<Response> {
  const table = await requireTable(visit);
  const { sql, params } = selectAll(table, gridSelectionIn(visit.parts.visit.query, table));
  return await downloadRows(visit.place, { sql, params, format, name: table.name, result: 0 });
}

export function bindTables(bind: PageBinder, services: BoardServices): void {
  const open = (visit: PersonVisit) => openDatabase(visit, services);
  const options = { maxUpload: MAX_ROW_FORM };

  bind.personal("GET", AT, async (visit) => showTables(await open(visit)));
  bind.personal("GET", `${AT}/rows.csv`, async (visit) => download(await open(visit), "csv"));
  bind.personal("GET", `${AT}/rows.json`, async (visit) => download(await open(visit), "json"));

  bind.personal("GET", `${AT}/new`, async (visit) => {
    const opened = await open(visit);
    return rowPage(opened, await requireEditable(opened), {});
  });
  bind.personal(
    "POST",
    `${AT}/new`,
    async (visit) => addRow(await open(visit), visit.fields),
    options,
  );

  bind.personal("GET", `${AT}/row`, async (visit) => {
    const opened = await open(visit);
    const table = await requireEditable(opened);
    return rowPage(opened, table, { stored: await requireRow(opened, table) });
  });
  bind.personal(
    "POST",
    `${AT}/row`,
    async (visit) => saveRow(await open(visit), visit.fields),
    options,
  );
  bind.asking(`${AT}/row/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.databaseRow(namedIn(parts))),
    run: async (visit) => removeRow(await open(visit), visit.fields),
  });
}

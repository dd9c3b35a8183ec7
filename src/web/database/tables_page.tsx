/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows a branch's tables, and the rows of one of them. */
import { Empty } from "../layout/board_pieces.tsx";
import { Card, Notice } from "../layout/pieces.tsx";
import { canChange } from "../project/open_project.ts";
import { gridQuery, MAX_FILTERS, MAX_OFFSET } from "./grid_selection.ts";
import type { DatabaseVisit } from "./open_database.ts";
import type { Catalog, Column, TableDetails } from "./read_catalog.ts";
import type { ResultRow } from "./read_query.ts";
import { studioPage } from "./studio_page.tsx";
import { Structure, TableList } from "./table_structure.tsx";
import { type GridSelection, MAX_KEY, OPERATORS } from "./table_sql.ts";
import { Value } from "./value.tsx";

/** The rows of a page, and their display settings. */
export interface Grid {
  readonly selection: GridSelection;
  readonly columns: readonly Column[];
  /** Maximum number of characters that are shown per value. */
  readonly length: number;
  /** The rows, each with the values of the shown columns and then the values of the key. */
  readonly rows: readonly ResultRow[];
  readonly hasMore: boolean;
  /** Why the rows cannot be read. */
  readonly error?: string;
}

/** Returns why a table's rows can't be edited; `undefined` if they can. */
export function readOnlyReason({ kind, key }: TableDetails): string | undefined {
  if (kind !== "table" && kind !== "partitioned table") return `A ${kind} is read-only here.`;
  if (key.length === 0) {
    return "This table is read-only here because it has no primary key. Add a key or use SQL.";
  }
  return undefined;
}

function FilterRow({ table, index, filter }: {
  readonly table: TableDetails;
  readonly index: number;
  readonly filter: GridSelection["filters"][number] | undefined;
}) {
  return (
    <div class="filter">
      <label class="hush" for={`where-${index}`}>{`Column of filter ${index + 1}`}</label>
      <select id={`where-${index}`} name="where" autocomplete="off">
        <option value="">Column</option>
        {table.columns.map(({ name }) => (
          <option key={name} value={name} selected={name === filter?.column}>{name}</option>
        ))}
      </select>
      <label class="hush" for={`is-${index}`}>{`Comparison of filter ${index + 1}`}</label>
      <select id={`is-${index}`} name="is" autocomplete="off">
        {Object.entries(OPERATORS).map(([name, word]) => (
          <option key={name} value={name} selected={name === filter?.operator}>{word}</option>
        ))}
      </select>
      <label class="hush" for={`value-${index}`}>{`Value of filter ${index + 1}`}</label>
      <input
        id={`value-${index}`}
        name="value"
        value={filter?.value}
        maxlength={1000}
        autocomplete="off"
        spellcheck={false}
      />
    </div>
  );
}

function Filters({ visit, table, selection }: {
  readonly visit: DatabaseVisit;
  readonly table: TableDetails;
  readonly selection: GridSelection;
}) {
  const { filters, sort } = selection;
  const rows = Math.min(filters.length + 1, MAX_FILTERS);
  const plain = gridQuery({
    branch: visit.place.branch,
    schema: table.schema,
    table: table.name,
  }, { filters: [], sort, offset: 0 });
  return (
    <details class="more" open={filters.length > 0}>
      <summary>{filters.length === 0 ? "Filter" : `Filters (${filters.length})`}</summary>
      <form method="get" action={visit.path("tables")} class="filters">
        {[...plain].map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {Array.from(
          { length: rows },
          (_, index) => (
            <FilterRow key={index} table={table} index={index} filter={filters[index]} />
          ),
        )}
        <div class="row">
          <button type="submit" class="little">Apply</button>
          {filters.length === 0
            ? null
            : <a class="button quiet little" href={`${visit.path("tables")}?${plain}`}>Clear</a>}
        </div>
      </form>
    </details>
  );
}

function ColumnHead({ column, selection, linkTo }: {
  readonly column: Column;
  readonly selection: GridSelection;
  linkTo(selection: GridSelection): string;
}) {
  const { name, type, isSortable } = column;
  const isSorted = selection.sort?.column === name;
  const isDescending = isSorted && selection.sort?.isDescending === true;
  const next = isDescending ? null : { column: name, isDescending: isSorted };
  return (
    <th
      scope="col"
      aria-sort={!isSorted ? undefined : isDescending ? "descending" : "ascending"}
    >
      {isSortable
        ? (
          <a href={linkTo({ ...selection, sort: next, offset: 0 })}>
            {name}
            {isSorted ? <span aria-hidden="true">{isDescending ? " ↓" : " ↑"}</span> : null}
          </a>
        )
        : name}
      <span class="type">{type}</span>
    </th>
  );
}

function GridRows({ visit, table, grid, isEditable }: {
  readonly visit: DatabaseVisit;
  readonly table: TableDetails;
  readonly grid: Grid;
  readonly isEditable: boolean;
}) {
  const { columns, rows, length, selection } = grid;
  const name = { branch: visit.place.branch, schema: table.schema, table: table.name };
  const linkTo = (part: GridSelection) => `${visit.path("tables")}?${gridQuery(name, part)}`;
  const rowPath = (key: ResultRow) => {
    if (key.some((value) => value === null || value.length > MAX_KEY)) return undefined;
    const query = gridQuery(name, selection);
    for (const value of key) query.append("key", value ?? "");
    return `${visit.path("tables/row")}?${query}`;
  };
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Rows">
      <table class="grid">
        <thead>
          <tr>
            {isEditable ? <th scope="col">Row</th> : null}
            {columns.map((column) => (
              <ColumnHead key={column.name} column={column} selection={selection} linkTo={linkTo} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const path = isEditable ? rowPath(row.slice(columns.length)) : undefined;
            return (
              <tr key={index}>
                {isEditable
                  ? (
                    <td>
                      {path === undefined ? null : (
                        <a href={path}>
                          Edit<span class="hush">{` row ${selection.offset + index + 1}`}</span>
                        </a>
                      )}
                    </td>
                  )
                  : null}
                {row.slice(0, columns.length).map((value, at) => (
                  <td key={at} class="mono">
                    <Value value={value} length={length} />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function GridPager({ visit, table, grid, size }: {
  readonly visit: DatabaseVisit;
  readonly table: TableDetails;
  readonly grid: Grid;
  readonly size: number;
}) {
  const { selection, rows, hasMore } = grid;
  const { offset } = selection;
  const name = { branch: visit.place.branch, schema: table.schema, table: table.name };
  const linkTo = (at: number) =>
    `${visit.path("tables")}?${gridQuery(name, { ...selection, offset: at })}`;
  return (
    <nav class="pager" aria-label="Row pages">
      {rows.length === 0
        ? null
        : <span class="soft small">{`Rows ${offset + 1} to ${offset + rows.length}`}</span>}
      {offset > 0
        ? (
          <a class="button quiet little" href={linkTo(Math.max(0, offset - size))}>
            Previous page
          </a>
        )
        : null}
      {hasMore && offset + size <= MAX_OFFSET
        ? <a class="button quiet little" href={linkTo(offset + size)}>Next page</a>
        : null}
      {hasMore && offset + size > MAX_OFFSET
        ? <span class="small">Filter the rows to see more.</span>
        : null}
    </nav>
  );
}

function GridCard({ visit, table, grid, size }: {
  readonly visit: DatabaseVisit;
  readonly table: TableDetails;
  readonly grid: Grid;
  readonly size: number;
}) {
  const reason = readOnlyReason(table);
  const isEditable = reason === undefined;
  const hidden = table.columns.length - grid.columns.length;
  const query = gridQuery({
    branch: visit.place.branch,
    schema: table.schema,
    table: table.name,
  }, grid.selection);
  return (
    <Card
      title={table.schema === "public" ? table.name : `${table.schema}.${table.name}`}
      id="rows"
      lead={reason}
    >
      <div class="body">
        <div class="row">
          {isEditable
            ? <a class="button little" href={`${visit.path("tables/new")}?${query}`}>Add a row</a>
            : null}
          <a class="button quiet little" href={`${visit.path("tables/rows.csv")}?${query}`}>CSV</a>
          <a class="button quiet little" href={`${visit.path("tables/rows.json")}?${query}`}>
            JSON
          </a>
        </div>
        <Filters visit={visit} table={table} selection={grid.selection} />
        {grid.error === undefined ? null : <Notice kind="bad">{grid.error}</Notice>}
        {hidden > 0
          ? <p class="small soft">{`${hidden} more columns are not shown. Use SQL to see them.`}</p>
          : null}
      </div>
      {grid.rows.length === 0
        ? grid.error === undefined
          ? (
            <Empty
              title={grid.selection.filters.length + grid.selection.offset === 0
                ? "No rows yet"
                : "No matching rows"}
            />
          )
          : null
        : <GridRows visit={visit} table={table} grid={grid} isEditable={isEditable} />}
      <div class="body">
        <GridPager visit={visit} table={table} grid={grid} size={size} />
      </div>
    </Card>
  );
}

/** Renders a branch's tables. `grid` is missing if the person is not allowed to read rows. */
export function tablesPage(
  visit: DatabaseVisit,
  shown: {
    readonly catalog: Catalog | undefined;
    /** Why the tables cannot be read. */
    readonly error?: string;
    readonly grid?: Grid;
    readonly size: number;
  },
): Response {
  const { catalog, error, grid, size } = shown;
  const table = catalog?.table;
  return studioPage(
    visit,
    { here: "tables" },
    <>
      {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
      {!canChange(visit.parts)
        ? (
          <Notice kind="care">
            Your role can't read database contents. Ask an owner to make you a developer.
          </Notice>
        )
        : null}
      {catalog === undefined
        ? null
        : catalog.tables.length === 0
        ? (
          <Card title="Tables" id="tables">
            <Empty title="No tables yet">
              Create one on the SQL page or with your migrations, or import a file.
            </Empty>
          </Card>
        )
        : (
          <div class="studio">
            <TableList visit={visit} catalog={catalog} />
            <div class="stack">
              {table === undefined || grid === undefined ? null : (
                <>
                  <GridCard visit={visit} table={table} grid={grid} size={size} />
                  <Structure visit={visit} table={table} />
                </>
              )}
            </div>
          </div>
        )}
    </>,
  );
}

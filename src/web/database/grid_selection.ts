/** @module Reads from the URL which part of a table to show. */
import type { TableDetails, TableName } from "./read_catalog.ts";
import { type Filter, type GridSelection, type Operator, OPERATORS } from "./table_sql.ts";

/** Maximum number of filters in a grid. */
export const MAX_FILTERS = 5;
/** Maximum offset. PostgreSQL must read all the rows before the offset. */
export const MAX_OFFSET = 50_000;
/** Maximum length of a filter's value. */
const MAX_VALUE = 1000;

/** Reads the table's name from the URL. Without a name, the URL selects the first table. */
export const tableIn = (query: URLSearchParams): TableName => ({
  schema: query.get("schema") ?? "public",
  table: query.get("table") ?? "",
});

const isOperator = (name: string): name is Operator => Object.hasOwn(OPERATORS, name);

/** Reads the filters, order and position. Ignores columns that the table does not have. */
export function gridSelectionIn(query: URLSearchParams, { columns }: TableDetails): GridSelection {
  const known = (name: string | null) => columns.find((column) => column.name === name);
  const [operators, values] = [query.getAll("is"), query.getAll("value")];
  const filters = query.getAll("where").slice(0, MAX_FILTERS).flatMap((name, index): Filter[] => {
    const operator = operators[index] ?? "eq";
    const value = (values[index] ?? "").slice(0, MAX_VALUE);
    return known(name) === undefined || !isOperator(operator)
      ? []
      : [{ column: name, operator, value }];
  });
  const sorted = known(query.get("sort"));
  const offset = Number(query.get("offset") ?? "0");
  return {
    filters,
    sort: sorted?.isSortable === true
      ? { column: sorted.name, isDescending: query.get("desc") === "1" }
      : null,
    offset: Number.isInteger(offset) ? Math.min(Math.max(0, offset), MAX_OFFSET) : 0,
  };
}

/** Returns the URL query string that selects a part of a table. */
export function gridQuery(
  { branch, schema, table }: TableName & { readonly branch: string },
  { filters, sort, offset }: GridSelection = { filters: [], sort: null, offset: 0 },
): URLSearchParams {
  return new URLSearchParams([
    ["branch", branch],
    ["schema", schema],
    ["table", table],
    ...filters.flatMap(({ column, operator, value }) => [
      ["where", column],
      ["is", operator],
      ["value", value],
    ]),
    ...(sort === null ? [] : [["sort", sort.column]]),
    ...(sort?.isDescending ? [["desc", "1"]] : []),
    ...(offset === 0 ? [] : [["offset", String(offset)]]),
  ]);
}

/** @module The table editor's statements. Names are quoted, and values are passed as parameters. */
import type { Column, TableDetails } from "./read_catalog.ts";
import type { Statement } from "./run_statement.ts";

export const OPERATORS = {
  eq: "=",
  ne: "≠",
  lt: "<",
  le: "≤",
  gt: ">",
  ge: "≥",
  has: "contains",
  starts: "starts with",
  null: "is null",
  set: "is not null",
} as const;
export type Operator = keyof typeof OPERATORS;

export interface Filter {
  readonly column: string;
  readonly operator: Operator;
  readonly value: string;
}

interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The part of a table to show. */
export interface GridSelection {
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  readonly offset: number;
}

/** A value to write; `default` is the column's default. */
export type WrittenValue = { readonly text: string | null } | "default";

/**
 * Maximum length of the key that identifies a row, in characters. The key is part of the row's URL.
 */
export const MAX_KEY = 300;
/** Maximum number of bytes that a grid shows of a `bytea` value. */
const MAX_SHOWN_BYTES = 32;

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const nameOf = ({ schema, name }: Pick<TableDetails, "schema" | "name">): string =>
  `${quote(schema)}.${quote(name)}`;

/** Collects values and returns a placeholder for each one. */
class Params {
  readonly values: (string | null)[] = [];

  add(value: string | null): string {
    return `$${this.values.push(value)}`;
  }
}

const COMPARED: Readonly<Partial<Record<Operator, string>>> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

function condition({ column, operator, value }: Filter, params: Params): string {
  const name = quote(column);
  const sign = COMPARED[operator];
  if (sign !== undefined) return `${name} ${sign} ${params.add(value)}`;
  if (operator === "null") return `${name} IS NULL`;
  if (operator === "set") return `${name} IS NOT NULL`;
  const pattern = `${operator === "has" ? "%" : ""}${escapeLike(value)}%`;
  return `${name}::text ILIKE ${params.add(pattern)}`;
}

function conditions(filters: readonly Filter[], params: Params): string {
  if (filters.length === 0) return "";
  return ` WHERE ${filters.map((filter) => condition(filter, params)).join(" AND ")}`;
}

/**
 * Returns the columns to sort by: the requested order, then the key, so that pages neither repeat
 * nor skip rows.
 */
function order(table: TableDetails, sort: Sort | null): string {
  const parts = [
    ...(sort === null ? [] : [`${quote(sort.column)} ${sort.isDescending ? "DESC" : "ASC"}`]),
    ...table.key.filter((name) => name !== sort?.column).map(quote),
  ];
  return parts.length === 0 ? "" : ` ORDER BY ${parts.join(", ")}`;
}

/**
 * Selects a value as text, shortened to one character more than is shown, so that values that are
 * too long can be recognized.
 */
function shownValue({ name, type }: Column, length: number): string {
  return type === "bytea"
    ? `left(substr(${quote(name)}, 1, ${MAX_SHOWN_BYTES + 1})::text, ${length + 1})`
    : `left(${quote(name)}::text, ${length + 1})`;
}

/**
 * Selects rows for the grid: the shown columns, then the key. Selects one row more than fits on a
 * page, to find out whether there is a next page.
 */
export function selectRows(
  table: TableDetails,
  { filters, sort, offset }: GridSelection,
  { columns, length, size }: {
    readonly columns: readonly Column[];
    readonly length: number;
    readonly size: number;
  },
): Statement {
  const params = new Params();
  const values = [
    ...columns.map((column) => shownValue(column, length)),
    ...table.key.map((name) => `left(${quote(name)}::text, ${MAX_KEY + 1})`),
  ];
  const sql = `SELECT ${values.join(", ")} FROM ${nameOf(table)}${conditions(filters, params)}` +
    `${order(table, sort)} LIMIT ${size + 1} OFFSET ${offset}`;
  return { sql, params: params.values };
}

/** Selects all values of the rows that match the filters, for a download. */
export function selectAll(table: TableDetails, { filters, sort }: GridSelection): Statement {
  const params = new Params();
  const sql = `SELECT * FROM ${nameOf(table)}${conditions(filters, params)}${order(table, sort)}`;
  return { sql, params: params.values };
}

const byKey = (table: TableDetails, key: readonly string[], params: Params): string =>
  table.key.map((name, index) => `r.${quote(name)} = ${params.add(key[index] ?? "")}`)
    .join(" AND ");

/**
 * An expression for the fingerprint of all values in a row, which prevents one change from
 * overwriting another.
 */
const FINGERPRINT = "md5((r.*)::text)";

/** Selects one row: all columns as text up to a maximum length, then the fingerprint. */
export function selectRow(
  table: TableDetails,
  key: readonly string[],
  length: number,
): Statement {
  const params = new Params();
  const values = [
    ...table.columns.map(({ name }) => `left(r.${quote(name)}::text, ${length + 1})`),
    FINGERPRINT,
  ];
  const sql = `SELECT ${values.join(", ")} FROM ${nameOf(table)} AS r WHERE ` +
    byKey(table, key, params);
  return { sql, params: params.values };
}

export function insertRow(
  table: TableDetails,
  values: ReadonlyMap<string, WrittenValue>,
): Statement {
  const params = new Params();
  const given = [...values].filter(([, value]) => value !== "default");
  const names = given.map(([name]) => quote(name)).join(", ");
  const written = given.map(([, value]) => value === "default" ? value : params.add(value.text));
  const sql = `INSERT INTO ${nameOf(table)} ` +
    (given.length === 0 ? "DEFAULT VALUES" : `(${names}) VALUES (${written.join(", ")})`);
  return { sql, params: params.values };
}

/** Changes a row if its fingerprint has not changed since the row was read. */
export function updateRow(
  table: TableDetails,
  { key, fingerprint, values }: {
    readonly key: readonly string[];
    readonly fingerprint: string;
    readonly values: ReadonlyMap<string, WrittenValue>;
  },
): Statement {
  const params = new Params();
  const set = [...values].map(([name, value]) =>
    `${quote(name)} = ${value === "default" ? "DEFAULT" : params.add(value.text)}`
  );
  const sql = `UPDATE ${nameOf(table)} AS r SET ${set.join(", ")} WHERE ` +
    `${byKey(table, key, params)} AND ${FINGERPRINT} = ${params.add(fingerprint)}`;
  return { sql, params: params.values };
}

/** Deletes a row if its fingerprint has not changed since the row was read. */
export function deleteRow(
  table: TableDetails,
  key: readonly string[],
  fingerprint: string,
): Statement {
  const params = new Params();
  const sql = `DELETE FROM ${nameOf(table)} AS r WHERE ${byKey(table, key, params)}` +
    ` AND ${FINGERPRINT} = ${params.add(fingerprint)}`;
  return { sql, params: params.values };
}

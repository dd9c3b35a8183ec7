/** @module Converts the fields of a row's form to the values to write to the database. */
import type { Fields } from "../layout/form.ts";
import type { Column, TableDetails } from "./read_catalog.ts";
import type { ResultRow } from "./read_query.ts";
import type { WrittenValue } from "./table_sql.ts";

/** How to read a field: as the text that was typed, or as a value that text cannot express. */
const MODES = ["typed", "empty", "null", "default"] as const;
export type Mode = (typeof MODES)[number];

export interface StoredRow {
  readonly values: ReadonlyMap<string, string | null>;
  /** Columns whose values are shortened in the form. */
  readonly cut: ReadonlySet<string>;
  readonly fingerprint: string;
}

export function storedRow({ columns }: TableDetails, row: ResultRow, length: number): StoredRow {
  const values = columns.map(({ name }, index) => [name, row[index] ?? null] as const);
  return {
    values: new Map(values),
    cut: new Set(values.filter(([, value]) => (value?.length ?? 0) > length).map(([name]) => name)),
    fingerprint: row[columns.length] ?? "",
  };
}

/** Browsers send line breaks as CRLF (HTML, 4.10.21.5). */
const withPlainEnds = (text: string): string => text.replaceAll("\r\n", "\n");

export const modeIn = (fields: Fields, name: string): Mode =>
  MODES.find((mode) => mode === fields[`mode.${name}`]) ?? "typed";

/**
 * Reads the value to write to a column. Returns `untyped` for an empty field, for example the
 * column's default in a new row.
 */
function writtenValue(
  { name }: Column,
  fields: Fields,
  untyped: WrittenValue,
): WrittenValue {
  switch (modeIn(fields, name)) {
    case "null":
      return { text: null };
    case "default":
      return "default";
    case "empty":
      return { text: "" };
    case "typed": {
      const text = withPlainEnds(fields[`value.${name}`] ?? "");
      return text === "" ? untyped : { text };
    }
  }
}

const isField = (fields: Fields, name: string): boolean =>
  fields[`value.${name}`] !== undefined || fields[`mode.${name}`] !== undefined;

/** Returns the values of a new row. */
export function newValues(table: TableDetails, fields: Fields): Map<string, WrittenValue> {
  return new Map(
    table.columns.filter(({ name, isGenerated }) => !isGenerated && isField(fields, name))
      .map((column) => [column.name, writtenValue(column, fields, "default")]),
  );
}

/** Returns the values that differ from the stored ones. */
export function changedValues(
  table: TableDetails,
  stored: StoredRow,
  fields: Fields,
): Map<string, WrittenValue> {
  const changed = new Map<string, WrittenValue>();
  for (const column of table.columns) {
    const { name, isGenerated } = column;
    if (isGenerated || stored.cut.has(name) || !isField(fields, name)) continue;
    const before = stored.values.get(name) ?? null;
    const written = writtenValue(column, fields, { text: before === null ? null : "" });
    const isSame = written !== "default" &&
      (written.text === null || before === null
        ? written.text === before
        : written.text === withPlainEnds(before));
    if (!isSame) changed.set(name, written);
  }
  return changed;
}

/**
 * @module Rows as JSON text. Numbers of at most 53 bits, booleans and JSON keep their type, because
 * JSON represents them exactly; all other values are text.
 */
import type { Column, Row } from "./result_set.ts";

const NUMBERS: ReadonlySet<string> = new Set(["int2", "int4", "oid", "float4", "float8"]);

/** A value as JSON text, on one line. */
export function jsonValue(value: string | null, type: string): string {
  if (value === null) return "null";
  if (type === "bool") return value === "t" ? "true" : "false";
  // `NaN` and `Infinity` are floats, but no numbers of JSON.
  if (NUMBERS.has(type) && /^-?\d/.test(value)) return toJsonNumber(value);
  // Unchanged: parsing would round long numbers and drop members of the same name.
  if (type === "jsonb" || type === "json") return value.replace(/[\r\n]+/g, " ");
  return JSON.stringify(value);
}

/** PostgreSQL's exponents, such as `1e+20`, are JSON's too. */
function toJsonNumber(value: string): string {
  return Number.isFinite(Number(value)) ? value : JSON.stringify(value);
}

/** The names of the members of a row: a name that columns share is numbered, as `id`, `id_2`. */
export function memberNames(columns: readonly Column[]): readonly string[] {
  const taken = new Set(columns.map(({ name }) => name));
  const used = new Set<string>();
  return columns.map(({ name }) => {
    let member = name;
    for (let number = 2; used.has(member); number++) {
      const next = `${name}_${number}`;
      if (!taken.has(next)) member = next;
    }
    used.add(member);
    return member;
  });
}

/** Converts rows to objects, as JSON text. */
export function rowWriter(columns: readonly Column[]): (row: Row) => string {
  const names = memberNames(columns).map((name) => JSON.stringify(name));
  return (row) =>
    `{${row.map((value, at) => `${names[at]}:${jsonValue(value, columns[at]!.type)}`).join(",")}}`;
}

/**
 * @module Formats rows as JSON text. Numbers of at most 53 bits, booleans and JSON values keep
 * their type, because JSON represents them exactly. All other values become strings.
 */
import type { Column, Row } from "./result_set.ts";

const NUMBERS: ReadonlySet<string> = new Set(["int2", "int4", "oid", "float4", "float8"]);

/** Formats a value as JSON text on one line. */
export function jsonValue(value: string | null, type: string): string {
  if (value === null) return "null";
  if (type === "bool") return value === "t" ? "true" : "false";
  // JSON has no `NaN` or `Infinity`.
  if (NUMBERS.has(type) && /^-?\d/.test(value)) return toJsonNumber(value);
  // Keep the text, because parsing would round long numbers and drop duplicate members.
  if (type === "jsonb" || type === "json") return value.replace(/[\r\n]+/g, " ");
  return JSON.stringify(value);
}

/** PostgreSQL's exponents, such as `1e+20`, are valid in JSON. */
function toJsonNumber(value: string): string {
  return Number.isFinite(Number(value)) ? value : JSON.stringify(value);
}

/**
 * Returns the member names of a row. If several columns have the same name, adds a number, as in
 * `id` and `id_2`.
 */
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

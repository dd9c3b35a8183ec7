import assert from "node:assert/strict";
import type { Column, TableDetails } from "./read_catalog.ts";
import { changedValues, newValues, storedRow } from "./row_values.ts";
import { deleteRow, insertRow, selectRow, selectRows, updateRow } from "./table_sql.ts";

const column = (name: string, more: Partial<Column> = {}): Column => ({
  name,
  type: "text",
  isRequired: false,
  default: null,
  isGenerated: false,
  isIdentity: false,
  isSortable: true,
  refers: null,
  ...more,
});

const TABLE: TableDetails = {
  schema: "public",
  name: 'a"; DROP TABLE b',
  kind: "table",
  rows: -1,
  columns: [column("id", { isRequired: true }), column('x"y'), column("big", { type: "bytea" })],
  key: ["id"],
  indexes: [],
};
const NAME = `"public"."a""; DROP TABLE b"`;

Deno.test("selectRows() quotes all names and passes all values as parameters", () => {
  const selection = {
    filters: [
      { column: 'x"y', operator: "has", value: "50%_\\" },
      { column: "id", operator: "eq", value: "'; --" },
      { column: "id", operator: "set", value: "unused" },
    ],
    sort: { column: 'x"y', isDescending: true },
    offset: 50,
  } as const;
  const shown = { columns: TABLE.columns, length: 20, size: 50 };
  assert.deepEqual(selectRows(TABLE, selection, shown), {
    sql: `SELECT left("id"::text, 21), left("x""y"::text, 21), ` +
      `left(substr("big", 1, 33)::text, 21), left("id"::text, 301) FROM ${NAME} ` +
      `WHERE "x""y"::text ILIKE $1 AND "id" = $2 AND "id" IS NOT NULL ` +
      `ORDER BY "x""y" DESC, "id" LIMIT 51 OFFSET 50`,
    params: ["%50\\%\\_\\\\%", "'; --"],
  });
});

Deno.test("updateRow() and deleteRow() find a row by its key and its fingerprint", () => {
  const values = new Map<string, { text: string | null } | "default">([
    ['x"y', { text: null }],
    ["big", "default"],
  ]);
  assert.deepEqual(updateRow(TABLE, { key: ["1"], fingerprint: "f", values }), {
    sql: `UPDATE ${NAME} AS r SET "x""y" = $1, "big" = DEFAULT ` +
      `WHERE r."id" = $2 AND md5((r.*)::text) = $3`,
    params: [null, "1", "f"],
  });
  assert.deepEqual(deleteRow(TABLE, ["1"], "f"), {
    sql: `DELETE FROM ${NAME} AS r WHERE r."id" = $1 AND md5((r.*)::text) = $2`,
    params: ["1", "f"],
  });
  assert.match(
    selectRow(TABLE, ["1"], 10).sql,
    /md5\(\(r\.\*\)::text\) FROM .* WHERE r\."id" = \$1$/,
  );
});

Deno.test("insertRow() omits columns with their default value", () => {
  const values = newValues(TABLE, { "value.id": "1", 'value.x"y': "", "mode.big": "null" });
  assert.deepEqual(insertRow(TABLE, values), {
    sql: `INSERT INTO ${NAME} ("id", "big") VALUES ($1, $2)`,
    params: ["1", null],
  });
  assert.deepEqual(insertRow(TABLE, new Map()).sql, `INSERT INTO ${NAME} DEFAULT VALUES`);
});

Deno.test("changedValues() distinguishes null from an empty string and skips equal values", () => {
  const stored = storedRow(TABLE, ["1", null, "x".repeat(11), "f"], 10);
  const changed = (fields: Record<string, string>) =>
    Object.fromEntries(changedValues(TABLE, stored, fields));
  assert.deepEqual(changed({ "value.id": "1", 'value.x"y': "", "value.big": "cut" }), {});
  assert.deepEqual(changed({ 'value.x"y': "", 'mode.x"y': "empty" }), { 'x"y': { text: "" } });
  assert.deepEqual(changed({ 'value.x"y': "a\r\nb" }), { 'x"y': { text: "a\nb" } });
  assert.deepEqual(changed({ "value.id": "2", "mode.id": "null" }), { id: { text: null } });
  const lines = storedRow(TABLE, ["1", "a\r\nb", null, "f"], 10);
  assert.deepEqual([...changedValues(TABLE, lines, { 'value.x"y': "a\r\nb" })], []);
});

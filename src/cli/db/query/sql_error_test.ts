import assert from "node:assert/strict";
import { describeError, toHumanError, toJsonError } from "../../errors/report_error.ts";
import { createPalette } from "../../terminal/color.ts";
import { sqlError, type SqlErrorEvent } from "./sql_error.ts";

const EVENT: SqlErrorEvent = {
  type: "error",
  message: 'relation "usres" does not exist',
  sqlState: "42P01",
  detail: null,
  hint: null,
  position: 15,
};

const show = (event: SqlErrorEvent, source: Parameters<typeof sqlError>[1]) => {
  const report = describeError(sqlError(event, source), { apiUrl: "", args: [] });
  return { human: toHumanError(report, createPalette(false)), json: toJsonError(report) };
};

Deno.test("sqlError() shows the position in the SQL and the SQLSTATE", () => {
  const { human, json } = show(EVENT, { sql: "select * from usres" });
  assert.equal(
    human,
    [
      'error: relation "usres" does not exist',
      "  1 | select * from usres",
      "    |               ^",
      "SQLSTATE 42P01",
    ].join("\n"),
  );
  assert.deepEqual(json, {
    error: EVENT.message,
    code: "query_failed",
    docs: "svc explain query_failed",
    sqlState: "42P01",
    detail: null,
    position: 15,
    line: 1,
    column: 15,
  });
});

Deno.test("sqlError() includes the file, the detail and the hint", () => {
  const { human, json } = show(
    { ...EVENT, detail: "Key (id)=(1) exists.", hint: "Try \x1b[2J again.", position: 3 },
    { sql: "\n\nx", file: "schema.sql" },
  );
  assert.match(human, /^ {2}schema\.sql:3:1$/m);
  assert.match(human, /^detail: Key \(id\)=\(1\) exists\.$/m);
  assert.match(human, /^hint: Try \\x1b\[2J again\.$/m);
  assert.deepEqual([json.file, json.line], ["schema.sql", 3]);
});

Deno.test("sqlError() recognizes errors caused by --read-only and psql's commands", () => {
  const readOnly = show({ ...EVENT, sqlState: "25006", position: null }, { sql: "x" });
  assert.match(readOnly.human, /hint: Remove --read-only/);
  const backslash = show(
    { ...EVENT, message: 'syntax error at or near "\\"', sqlState: "42601", position: 1 },
    { sql: "\\restrict x" },
  );
  assert.match(backslash.human, /hint: Remove lines that begin with a backslash/);
});

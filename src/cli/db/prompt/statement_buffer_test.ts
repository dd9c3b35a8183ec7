import assert from "node:assert/strict";
import { StatementBuffer } from "./statement_buffer.ts";

/** Types lines, and returns the effect of the last one and the prompt after it. */
function type(...lines: readonly string[]) {
  const buffer = new StatementBuffer();
  const typed = lines.map((line) => buffer.add(line)).at(-1)!;
  return [typed, buffer.mark];
}

Deno.test("add() runs a statement once it ends", () => {
  assert.deepEqual(type("select 1;"), [{ type: "run", sql: "select 1;" }, "="]);
  assert.deepEqual(type("select", " 1"), [{ type: "more" }, "-"]);
  assert.deepEqual(type("select", " 1;  -- done"), [{ type: "run", sql: "select\n 1;" }, "="]);
  assert.deepEqual(type("select 1; select 2; select"), [
    { type: "run", sql: "select 1;\nselect 2;" },
    "-",
  ]);
});

Deno.test("add() shows open constructs in its prompt", () => {
  for (const [line, mark] of [["select 'a", "'"], ["select (", "("], ["/* a", "*"]] as const) {
    assert.deepEqual(type(line), [{ type: "more" }, mark]);
  }
});

Deno.test("add() holds back a transaction until it ends", () => {
  assert.deepEqual(type("begin;", "insert into t values (1);"), [{ type: "more" }, "!"]);
  assert.deepEqual(type("begin;", "rollback to a;"), [{ type: "more" }, "!"]);
  assert.deepEqual(type("BEGIN;", "delete from t;", "COMMIT;")[0], {
    type: "run",
    sql: "BEGIN;\ndelete from t;\nCOMMIT;",
  });
  assert.deepEqual(type("start transaction;", "rollback;")[0], {
    type: "run",
    sql: "start transaction;\nrollback;",
  });
});

Deno.test("add() accepts backslash commands only if no statement has started", () => {
  assert.deepEqual(type("  \\d boats"), [{ type: "command", text: "\\d boats" }, "="]);
  assert.deepEqual(type("select", "\\d"), [{ type: "more" }, "-"]);
});

Deno.test("add() keeps the last line of a comment", () => {
  assert.deepEqual(type("select 1 -- a", ";"), [{ type: "run", sql: "select 1 -- a\n;" }, "="]);
  assert.deepEqual(type("begin; -- a", "end;"), [{ type: "run", sql: "begin;\nend;" }, "="]);
});

Deno.test("add() ignores empty lines, comments and empty statements", () => {
  for (const line of ["", "  ", "-- a", ";", ";;"]) {
    assert.deepEqual(type(line), [{ type: "more" }, "="], line);
  }
});

Deno.test("clear() clears the typed text", () => {
  const buffer = new StatementBuffer();
  buffer.add("select '");
  buffer.clear();
  assert.deepEqual([buffer.isEmpty, buffer.mark], [true, "="]);
  assert.deepEqual(buffer.add("select 1;"), { type: "run", sql: "select 1;" });
});

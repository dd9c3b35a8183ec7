import assert from "node:assert/strict";
import { splitStatements } from "../../../lib/sql_statements.ts";
import { readPromptCommand } from "./backslash_command.ts";

Deno.test("readPromptCommand() recognizes psql's commands", () => {
  const types = ["\\q", "\\q;", "\\quit", "\\?", "\\h", "\\x", "\\d", "\\dt"].map((text) =>
    readPromptCommand(text).type
  );
  assert.deepEqual(types, [
    "quit",
    "quit",
    "quit",
    "help",
    "help",
    "expanded",
    "query",
    "query",
  ]);
  assert.deepEqual(readPromptCommand("\\copy t from 'x'"), { type: "unknown", name: "\\copy" });
  assert.deepEqual(readPromptCommand("\\"), { type: "unknown", name: "\\" });
});

Deno.test("readPromptCommand() keeps a name unchanged", () => {
  const command = readPromptCommand("\\d a'; drop table boats; --;");
  assert.ok(command.type === "query");
  assert.match(command.sql, /= 'a''; drop table boats; --'::/);
  assert.equal(splitStatements(command.sql).length, 3);
  const quoted = readPromptCommand('\\d "My Table";');
  assert.ok(quoted.type === "query");
  assert.match(quoted.sql, /'"My Table"'::pg_catalog\.regclass/);
});

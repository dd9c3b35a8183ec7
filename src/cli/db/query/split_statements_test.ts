import assert from "node:assert/strict";
import { firstWords, isBlankSql, splitStatements } from "./split_statements.ts";

const ROWS: readonly (readonly [
  name: string,
  sql: string,
  complete: readonly string[],
  rest: string,
  open?: string,
])[] = [
  ["two statements", "select 1; select 2;", ["select 1;", "select 2;"], ""],
  ["the beginning of a third", "select 1;\n select", ["select 1;"], "\n select"],
  ["a text", "select ';', 'it''s;';", ["select ';', 'it''s;';"], ""],
  ["an open text", "select 'a;", [], "select 'a;", "quote"],
  ["an open text after a doubled quote", "select 'it'';", [], "select 'it'';", "quote"],
  ["backslashes", "select 'a\\'; select E'\\';';", ["select 'a\\';", "select E'\\';';"], ""],
  ["an open text with backslashes", "select e'a\\'; ", [], "select e'a\\'; ", "quote"],
  ["a quoted name", 'select 1 as "a;""b";', ['select 1 as "a;""b";'], ""],
  ["a line comment", "select 1 -- no; end\n;", ["select 1 -- no; end\n;"], ""],
  ["nested comments", "/* a /* b; */ ; */ select 1;", ["/* a /* b; */ ; */ select 1;"], ""],
  ["an open comment", "select /* a; ", [], "select /* a; ", "comment"],
  ["dollar quotes", "do $$ begin; $x$ end $$;", ["do $$ begin; $x$ end $$;"], ""],
  ["tagged dollar quotes", "do $a$ ; $$ ; $a$;", ["do $a$ ; $$ ; $a$;"], ""],
  ["an open dollar quote", "do $a$ ; $$;", [], "do $a$ ; $$;", "quote"],
  ["parameters", "select $1; select a$1$b;", ["select $1;", "select a$1$b;"], ""],
  ["parentheses", "create rule r as do (a; b);", ["create rule r as do (a; b);"], ""],
  ["an open parenthesis", "insert into t (a;", [], "insert into t (a;", "parenthesis"],
  [
    "a function's body",
    "create or replace function f() returns int begin atomic select case when a then 1 end; end; x;",
    [
      "create or replace function f() returns int begin atomic select case when a then 1 end; end;",
      "x;",
    ],
    "",
  ],
  ["transactions, which are no body", "begin; end;", ["begin;", "end;"], ""],
  ["empty statements", ";;", [";", ";"], ""],
];

for (const [name, sql, complete, rest, open] of ROWS) {
  Deno.test(`splitStatements() knows ${name}`, () => {
    assert.deepEqual(splitStatements(sql), { complete, rest, open });
  });
}

Deno.test("firstWords() skips comments and stops at what is no word", () => {
  assert.deepEqual(firstWords("/* a */ BEGIN -- b\n ISOLATION level", 3), [
    "begin",
    "isolation",
    "level",
  ]);
  assert.deepEqual(firstWords("  (select 1)", 2), []);
});

Deno.test("isBlankSql() is true for blanks and comments alone", () => {
  for (const sql of ["", " \n", "-- a", "/* a; */ -- b\n"]) assert.ok(isBlankSql(sql), sql);
  for (const sql of [";", "/* a", "x"]) assert.ok(!isBlankSql(sql), sql);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  firstTokenAt,
  firstWords,
  isBlankSql,
  splitStatements,
  StatementSplitter,
} from "./sql_statements.ts";

const texts = (sql: string): readonly string[] => splitStatements(sql).map(({ text }) => text);

const WHOLE: readonly string[] = [
  "SELECT 'a;b', E'it\\'s; x', \"c;\"\"d\"",
  "SELECT $$a;b$$, $tag$ ; $$ ; $tag$, $1",
  "SELECT 1 -- one; two\n, 2",
  "SELECT /* a; /* b; */ c; */ 1",
  "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)",
  "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END",
  "CREATE FUNCTION g() RETURNS int LANGUAGE sql AS $body$ SELECT 1; $body$",
  "SELECT a$b$c, e'\\\\', n'x;y'",
  "SELECT 'a\\', 'it''s;', $1",
  "DO $$ BEGIN; $x$ END $$",
  "BEGIN",
  "END",
];

Deno.test("splitStatements() splits only at semicolons that end statements", () => {
  for (const statement of WHOLE) {
    assert.deepEqual(texts(`${statement};SELECT 2`), [statement, "SELECT 2"], statement);
  }
  assert.deepEqual(texts(" ;; -- nothing\n ; /* ; */"), []);
  assert.deepEqual(texts("SELECT 1;\n\nSELECT 2;\n"), ["SELECT 1", "\n\nSELECT 2"]);
  assert.deepEqual(texts("SELECT 'open; "), ["SELECT 'open; "]);
});

Deno.test("splitStatements() reports where each statement starts", () => {
  const sql = "SELECT 1; SELECT '\u{1F512};'; SELECT x";
  for (const { text, start } of splitStatements(sql)) {
    assert.equal(sql.slice(start, start + text.length), text);
  }
  assert.equal(splitStatements(sql).length, 3);
});

Deno.test("StatementSplitter finds the same statements regardless of how the text is split", () => {
  const all = WHOLE.join(";\n");
  const whole = splitStatements(all);
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
    const splitter = new StatementSplitter();
    const found = [];
    for (let at = 0, turn = 0; at < all.length; turn++) {
      const size = sizes[turn % sizes.length]!;
      found.push(...splitter.push(all.slice(at, at + size)));
      at += size;
    }
    assert.deepEqual([...found, ...splitter.end()], whole);
  }));
});

Deno.test("firstTokenAt() skips spaces, comments and empty statements", () => {
  const sql = " ; /* a /* b */ */ -- c\n;\tCOMMIT";
  assert.equal(sql.slice(firstTokenAt(sql)), "COMMIT");
  assert.equal(firstTokenAt("/* open"), 7);
});

const OPEN = [
  ["SELECT 'a;", "quote"],
  ["SELECT 'it'';", "quote"],
  ["SELECT e'a\\'; ", "quote"],
  ['SELECT "a;', "quote"],
  ["DO $a$ ; $$;", "quote"],
  ["SELECT /* a /* b */ ; ", "comment"],
  ["INSERT INTO t (a;", "parenthesis"],
  ["SELECT 1 -- (a; 'b", undefined],
] as const;

Deno.test("StatementSplitter.open reports constructs that a semicolon does not close", () => {
  for (const [sql, open] of OPEN) {
    const splitter = new StatementSplitter();
    assert.deepEqual(splitter.push(`SELECT 1;${sql}\n`).length, 1, sql);
    assert.deepEqual([splitter.open, splitter.isBetween], [open, false], sql);
    splitter.takeRest();
    assert.deepEqual([splitter.open, splitter.isBetween], [undefined, true], sql);
  }
});

Deno.test("StatementSplitter.isBetween is true until the next statement begins", () => {
  const splitter = new StatementSplitter();
  assert.ok(splitter.isBetween);
  splitter.push("SELECT 1; -- done\n /* (a; */ ");
  assert.ok(splitter.isBetween);
  splitter.push("SELECT");
  assert.ok(!splitter.isBetween);
});

Deno.test("firstWords() skips comments and stops at other tokens", () => {
  const sql = "/* a */ BEGIN -- b\n ISOLATION level";
  assert.deepEqual(firstWords(sql, 3), ["begin", "isolation", "level"]);
  assert.deepEqual(firstWords(sql, 1), ["begin"]);
  assert.deepEqual(firstWords("  (select 1)", 2), []);
});

Deno.test("isBlankSql() is true if there is no statement", () => {
  for (const sql of ["", " \n", "-- a", "/* a; */ -- b\n;", "/* a"]) {
    assert.ok(isBlankSql(sql), sql);
  }
  for (const sql of ["x", "; 'a'", "/* a */ ("]) assert.ok(!isBlankSql(sql), sql);
});

import assert from "node:assert/strict";
import { createPalette } from "../../terminal/color.ts";
import { createUi } from "../../terminal/ui.ts";
import { createCsvOutput } from "./query.ts";
import { createJsonOutput } from "./query.ts";
import type { Output } from "./output.ts";
import { createTableOutput } from "./table_output.ts";

function uiWith(options: { readonly json?: boolean; readonly columns?: number } = {}) {
  const out = { stdout: "", stderr: "" };
  const colors = createPalette(false);
  const ui = createUi({
    json: options.json ?? false,
    stdout: {
      isTerminal: options.columns !== undefined,
      columns: () => options.columns,
      write: (text) => void (out.stdout += text),
    },
    stderr: { isTerminal: false, write: (text) => void (out.stderr += text) },
    colors,
    dataColors: colors,
    now: () => 0,
  });
  return { ui, out };
}

const COLUMNS = [{ name: "id", type: "int8" }, { name: "name", type: "text" }];

/** Replays two results, with a statement between them that has no result. */
function play(output: Output): void {
  output.columns(COLUMNS);
  output.rows([["1", "Ann"]]);
  output.rows([["2", null]]);
  output.complete("SELECT 2");
  output.complete("INSERT 0 3");
  output.columns([{ name: "n", type: "int4" }]);
  output.complete("SELECT 0");
}

Deno.test("createJsonOutput() writes one object with a result for each statement", () => {
  const { ui, out } = uiWith({ json: true });
  const output = createJsonOutput(ui, { database: "shop", branch: "main" });
  play(output);
  output.end();
  assert.equal(out.stdout.trimEnd().split("\n").length, 1);
  assert.deepEqual(JSON.parse(out.stdout), {
    database: "shop",
    branch: "main",
    results: [
      {
        columns: [
          { key: "id", name: "id", type: "int8" },
          { key: "name", name: "name", type: "text" },
        ],
        rows: [{ id: "1", name: "Ann" }, { id: "2", name: null }],
        command: "SELECT 2",
        rowCount: 2,
      },
      { command: "INSERT 0 3", rowCount: 3 },
      {
        columns: [{ key: "n", name: "n", type: "int4" }],
        rows: [],
        command: "SELECT 0",
        rowCount: 0,
      },
    ],
  });
});

Deno.test("createJsonOutput() reports a broken response as an error, regardless of where it breaks", () => {
  const plays: ((output: Output) => void)[] = [
    (output) => output.complete("BEGIN"),
    (output) => output.columns(COLUMNS),
    (output) => {
      output.columns(COLUMNS);
      output.rows([["1", "a"]]);
    },
  ];
  for (const each of plays) {
    const { ui, out } = uiWith({ json: true });
    const output = createJsonOutput(ui, { database: "shop" });
    each(output);
    assert.ok(output.fail({ error: "it broke", code: "query_failed" }));
    const { error, code, results } = JSON.parse(out.stdout);
    assert.deepEqual([error, code, results.length], ["it broke", "query_failed", 1]);
  }
  const { ui, out } = uiWith({ json: true });
  assert.ok(!createJsonOutput(ui, {}).fail({ error: "it broke" }));
  assert.equal(out.stdout, "");
});

Deno.test("createJsonOutput() warns about columns that share a name", () => {
  const { ui, out } = uiWith({ json: true });
  const output = createJsonOutput(ui, { branch: "main" });
  output.columns([{ name: "id", type: "int4" }, { name: "id", type: "int4" }]);
  output.rows([["1", "2"]]);
  output.complete("SELECT 1");
  output.end();
  assert.deepEqual(JSON.parse(out.stdout).results[0].rows, [{ id: 1, id_2: 2 }]);
  assert.match(out.stderr, /with AS.* id_2/);
});

Deno.test("createJsonOutput() writes no results without a statement", () => {
  const { ui, out } = uiWith({ json: true });
  createJsonOutput(ui, { branch: "main" }).end();
  assert.equal(out.stdout, '{"branch":"main","results":[]}\n');
});

Deno.test("createCsvOutput() puts an empty line between results", () => {
  const { ui, out } = uiWith();
  play(createCsvOutput(ui));
  assert.equal(out.stdout, "id,name\r\n1,Ann\r\n2,\r\n\r\nn\r\n");
  assert.equal(out.stderr, "INSERT 0 3\n");
});

Deno.test("createCsvOutput() keeps bytes unchanged, except on a terminal", () => {
  for (const [columns, wanted] of [[undefined, "a\x1b[2J"], [80, "a\\x1b[2J"]] as const) {
    const { ui, out } = uiWith(columns === undefined ? {} : { columns });
    const output = createCsvOutput(ui);
    output.columns([{ name: "n", type: "text" }]);
    output.rows([["a\x1b[2J"]]);
    assert.ok(out.stdout.includes(wanted));
  }
});

Deno.test("createTableOutput() writes tables to stdout and messages to stderr", () => {
  const { ui, out } = uiWith();
  play(createTableOutput(ui, { whole: "" }));
  assert.equal(
    out.stdout,
    " id | name\n----+------\n  1 | Ann\n  2 | NULL\n\n n\n---\n",
  );
  assert.equal(out.stderr, "2 rows\nINSERT 0 3\n0 rows\n");
});

Deno.test("createTableOutput() keeps only the first of a million rows, and reports that", () => {
  const { ui, out } = uiWith();
  const output = createTableOutput(ui, { whole: "--csv shows all of them" });
  output.columns([{ name: "n", type: "int4" }]);
  const batch = Array.from({ length: 1000 }, () => ["7"]);
  for (let count = 0; count < 1000; count++) output.rows(batch);
  output.complete("SELECT 1000000");
  assert.equal(out.stdout.split("\n").length, 10_000 + 3);
  assert.match(out.stderr, /Showing 10000 of 1000000 rows: --csv shows all of them/);
  assert.match(out.stderr, /1000000 rows/);
});

Deno.test("createTableOutput() truncates long values to a limited number of characters", () => {
  const { ui, out } = uiWith({ columns: 80 });
  const output = createTableOutput(ui, { whole: "x" });
  output.columns([{ name: "n", type: "text" }]);
  const value = "y".repeat(1_000_000);
  for (let count = 0; count < 100; count++) output.rows([[value]]);
  output.complete("SELECT 100");
  assert.match(out.stderr, /Showing \d of 100 rows/);
  assert.ok(out.stdout.length < 2000);
});

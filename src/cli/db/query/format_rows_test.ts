import assert from "node:assert/strict";
import { createPalette } from "../../terminal/color.ts";
import { fitWidths, formatRows } from "./format_rows.ts";
import type { Column, Row } from "./result_set.ts";
import { widthOf } from "./text_width.ts";

const colors = createPalette(false);
const columns = (...types: (readonly [name: string, type: string])[]): Column[] =>
  types.map(([name, type]) => ({ name, type }));
const PEOPLE = columns(["id", "int4"], ["name", "text"]);

function draw(rows: readonly Row[], width?: number, of = PEOPLE, expanded = false): string {
  return formatRows(of, rows, { width, colors, expanded });
}

Deno.test("formatRows() right-aligns numbers, and shows null", () => {
  assert.equal(
    draw([["1", "Ann"], ["23", null]]),
    [" id | name", "----+------", "  1 | Ann", " 23 | NULL"].join("\n"),
  );
});

Deno.test("formatRows() shows headings even without rows", () => {
  assert.equal(draw([]), " id | name\n----+------");
});

Deno.test("formatRows() counts wide and combining characters as a terminal does", () => {
  const lines = draw(
    [["1", "日本"], ["2", "e\u0301a"], ["3", "👩‍👩‍👧"], ["4", "abcd"]],
    40,
    [
      ...PEOPLE,
      { name: "x", type: "text" },
    ].slice(0, 2),
  ).split("\n");
  assert.deepEqual(lines.slice(2), ["  1 | 日本", "  2 | e\u0301a", "  3 | 👩‍👩‍👧", "  4 | abcd"]);
  const bars = draw([["日本", "1"], ["abc", "2"]], undefined, columns(["n", "text"], ["v", "int4"]))
    .split("\n").slice(2).map((line) => widthOf(line.split("|")[0]!));
  assert.deepEqual(bars, [6, 6]);
});

Deno.test("formatRows() makes control characters visible", () => {
  const text = draw([["1", "a\x1b[2Jb\r\n\tc\u202ed"]]);
  assert.match(text, /a\\x1b\[2Jb\\x0d\\n\\tc\\u202ed/);
  const named = draw([["1"]], undefined, columns(["\x1b]0;x\x07", "int4"]));
  assert.ok(!named.includes("\x1b"));
});

Deno.test("formatRows() truncates long values to fit a terminal, but not elsewhere", () => {
  const long = "x".repeat(200);
  for (const line of draw([["1", long]], 40).split("\n")) assert.ok(widthOf(line) <= 40, line);
  assert.match(draw([["1", long]], 40), /x…$/);
  assert.ok(draw([["1", long]]).includes(long));
  const wide = draw([["1", "日本".repeat(50)]], 41);
  for (const line of wide.split("\n")) assert.ok(widthOf(line) <= 41, line);
  const astral = draw([["1", "𠀀".repeat(60)]], 40);
  assert.ok(astral.isWellFormed());
});

Deno.test("formatRows() shows rows one by one if a table does not fit the width", () => {
  const many = columns(...Array.from({ length: 20 }, (_, at) => [`c${at}`, "text"] as const));
  const text = formatRows(many, [many.map(() => "value of it")], { width: 40, colors });
  assert.equal(text.split("\n")[0], "-[ 1 ]".padEnd(40, "-"));
  assert.equal(text.split("\n")[1], "c0  | value of it");
  assert.equal(text.split("\n").length, 21);
});

Deno.test("formatRows() shows rows one by one if requested", () => {
  assert.equal(
    draw([["1", "Ann"], ["2", null]], 10, PEOPLE, true),
    "-[ 1 ]----\nid   | 1\nname | Ann\n-[ 2 ]----\nid   | 2\nname | NULL",
  );
});

Deno.test("fitWidths() shrinks only the widest columns", () => {
  assert.deepEqual(fitWidths([3, 100, 20], 40), [3, 14, 14]);
  assert.deepEqual(fitWidths([3, 10], 40), [3, 10]);
  assert.equal(fitWidths([6, 6, 6, 6], 20), undefined);
});

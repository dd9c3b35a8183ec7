import assert from "node:assert/strict";
import { caretLines, placeOf } from "./caret_lines.ts";
import { widthOf } from "./text_width.ts";

Deno.test("placeOf() counts characters as PostgreSQL does", () => {
  assert.deepEqual(placeOf("select x", 8), { line: 1, column: 8 });
  assert.deepEqual(placeOf("select\n  'é😀', x", 16), { line: 2, column: 9 });
  assert.deepEqual(placeOf("a", 99), { line: 1, column: 2 });
});

Deno.test("caretLines() points at the error's position", () => {
  assert.deepEqual(caretLines("select 1;\r\nselect x;\r\n", { line: 2, column: 8 }), [
    "  2 | select x;",
    "    |        ^",
  ]);
});

Deno.test("caretLines() points past wide and escaped characters", () => {
  const [line, caret] = caretLines("select '日本\t\x1b', x", { line: 1, column: 16 });
  assert.equal(line, "  1 | select '日本\\t\\x1b', x");
  assert.equal(widthOf(caret!) - 1, widthOf(line!.slice(0, line!.lastIndexOf("x"))));
});

Deno.test("caretLines() shortens a long line around the error's position", () => {
  const sql = `${"a".repeat(500)}X${"b".repeat(500)}`;
  const [line, caret] = caretLines(sql, { line: 1, column: 501 });
  assert.ok(line!.length < 140);
  assert.equal(line![caret!.indexOf("^")], "X");
});

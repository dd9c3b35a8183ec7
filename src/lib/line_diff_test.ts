import assert from "node:assert/strict";
import { diffLines } from "./line_diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+" } as const;
const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ type, text }) => SIGNS[type] + text).join("|");

for (
  const [before, after, diff] of [
    ["a\nb\nc", "a\nb\nc", " a| b| c"],
    ["a\nb\nc", "a\nx\nc", " a|-b|+x| c"],
    ["a\nc", "a\nb\nc", " a|+b| c"],
    ["a\nb\nb", "a\nb", " a| b|-b"],
    ["a\nb\nc\nd", "b\nx\nd\ne", "-a| b|-c|+x| d|+e"],
    ["", "a", "-|+a"],
  ] as const
) {
  Deno.test(`diffLines() compares ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => {
    assert.equal(shown(before, after), diff);
  });
}

Deno.test("if texts differ in very many lines, diffLines() shows one after the other", () => {
  const text = (name: string) => Array.from({ length: 2500 }, (_, n) => `${name}${n}`).join("\n");
  const lines = diffLines(`first\n${text("a")}`, `first\n${text("b")}`);
  assert.deepEqual(lines.slice(0, 2).map(({ text }) => text), ["first", "a0"]);
  assert.equal(lines.length, 5001);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_LOG_CHARACTERS } from "../process/frames/log_lines.ts";
import { LineSplitter, truncate } from "./lines.ts";

function linesOf(chunks: readonly (string | Uint8Array)[]): string[] {
  const lines: string[] = [];
  const cutter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) cutter.write(chunk);
  cutter.end();
  return lines;
}

Deno.test("LineSplitter returns the same lines, regardless of how the output is split", () => {
  assert.deepEqual(linesOf(["a\nb", "c\r\n\n", "d"]), ["a", "bc", "d"]);
  const text = "one\nzwei ä\n三\n";
  fc.assert(fc.property(fc.integer({ min: 1, max: 7 }), (size) => {
    const bytes = new TextEncoder().encode(text);
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, at) => bytes.slice(at * size, (at + 1) * size),
    );
    assert.deepEqual(linesOf(chunks), ["one", "zwei ä", "三"]);
  }));
});

Deno.test("LineSplitter and truncate() limit their results", () => {
  const lines = linesOf(["x".repeat(MAX_LOG_CHARACTERS * 2 + 5)]);
  assert.deepEqual(lines.map(({ length }) => length), [4096, 4096, 5]);
  assert.equal(truncate("x".repeat(5000)).length, MAX_LOG_CHARACTERS);
  assert.equal(truncate(`${"x".repeat(4094)}😀x`), `${"x".repeat(4094)}…`);
});

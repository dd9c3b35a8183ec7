import assert from "node:assert/strict";
import { createLineSink } from "./line_sink.ts";

function linesOf(chunks: readonly string[]): string[] {
  const lines: string[] = [];
  const sink = createLineSink((line) => lines.push(line));
  for (const chunk of chunks) sink.write(chunk);
  sink.end();
  return lines;
}

Deno.test("createLineSink() joins chunks into lines and skips empty ones", () => {
  assert.deepEqual(linesOf(["a", "b\nc\r", "\n\n", "d"]), ["ab", "c", "d"]);
});

Deno.test("createLineSink() splits an endless line", () => {
  assert.deepEqual(linesOf(["x".repeat(5000)]).map(({ length }) => length), [4096, 904]);
});

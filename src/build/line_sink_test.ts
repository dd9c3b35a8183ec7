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

Deno.test("createLineSink() splits a long line in the same places, however it arrives", () => {
  const line = "x".repeat(9000);
  for (
    const chunks of [[line], [`${line}\n`], [line, "\n"], [line.slice(0, 5000), line.slice(5000)]]
  ) {
    assert.deepEqual(linesOf(chunks).map(({ length }) => length), [4096, 4096, 808]);
  }
});

import assert from "node:assert/strict";
import { readPieces } from "./read_pieces.ts";
import { spawnProgram } from "./spawn_program.ts";

const ROUNDS = 2000;

Deno.test("readPieces() yields all bytes of a process, in one buffer", async () => {
  const script = `i=0; while [ $i -lt ${ROUNDS} ]; do echo line $i; i=$((i+1)); done`;
  const child = spawnProgram("/bin/sh", {
    args: ["-c", script],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
  const decoder = new TextDecoder();
  const sizes = new Set<number>();
  let text = "";
  for await (const piece of readPieces(child.stdout)) {
    sizes.add(piece.buffer.byteLength);
    text += decoder.decode(piece, { stream: true });
  }
  const lines = Array.from({ length: ROUNDS }, (_, at) => `line ${at}\n`);
  assert.equal(text, lines.join(""));
  assert.deepEqual([...sizes], [64 * 1024]);
  assert.equal((await child.status).code, 0);
});

import assert from "node:assert/strict";
import { createPalette } from "./color.ts";
import { createProgress, type ProgressOptions } from "./progress.ts";

function start(options: Partial<ProgressOptions>) {
  const said: string[] = [];
  const drawn: string[] = [];
  let now = 0;
  const progress = createProgress({
    label: "Uploading",
    files: 1,
    bytes: 1000,
    now: () => now += 100,
    colors: createPalette(false),
    stderr: { isTerminal: true, write: (text) => void drawn.push(String(text)) },
    live: false,
    say: (message) => void said.push(message),
    ...options,
  });
  return { progress, said, drawn };
}

Deno.test("createProgress() reports the bytes of one large file once per quarter", () => {
  const { progress, said } = start({});
  for (const bytes of [200, 100, 300, -600, 600, 200]) progress.add({ files: 0, bytes });
  progress.add({ files: 1, bytes: 200 });
  assert.deepEqual(said, [
    "Uploading: 0/1 files, 300 B of 1000 B",
    "Uploading: 0/1 files, 600 B of 1000 B",
    "Uploading: 0/1 files, 800 B of 1000 B",
  ]);
});

Deno.test("createProgress() redraws its bar as bytes are sent, and removes it at the end", () => {
  const { progress, drawn } = start({ live: true });
  progress.add({ files: 0, bytes: 500 });
  progress.end();
  assert.match(drawn[1]!, /█{12}░{12} 0\/1 files, 500 B of 1000 B/);
  assert.equal(drawn.at(-1), "\r\x1b[2K");
});

import assert from "node:assert/strict";
import { createSecretMasker } from "../../../lib/mask_secrets.ts";
import { createLineStream, plainText } from "./build_log_text.ts";
import { BuildLogs } from "./build_logs.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

const BUILD = {
  projectId: "019a0000-0000-7000-8000-000000000001",
  deploymentId: "019a0000-0000-7000-8000-000000000002",
};

async function withLogs(
  run: (logs: BuildLogs) => Promise<void>,
  limits = {},
): Promise<void> {
  await inTestFolder(async (root) => {
    await run(new BuildLogs(root, { now: () => 0, limits }));
  });
}

function linesOf(secrets: readonly string[], chunks: readonly string[]): string[] {
  const lines: string[] = [];
  const stream = createLineStream(createSecretMasker(secrets), (line) => lines.push(line));
  for (const chunk of chunks) stream.push(chunk);
  stream.end();
  return lines;
}

Deno.test("createLineStream() joins chunks and ends lines at every kind of line ending", () => {
  assert.deepEqual(linesOf([], ["a", "b\r", "\nc\rd\n\n", "e"]), ["ab", "c", "d", "e"]);
});

Deno.test("createLineStream() masks a secret that is split across chunks", () => {
  assert.deepEqual(linesOf(["hunter2!"], ["key hun", "ter", "2! end\n"]), ["key ••• end"]);
});

Deno.test("createLineStream() masks a secret that contains a color code", () => {
  assert.deepEqual(linesOf(["hunter2!"], ["hun\x1b[31mter2!\n"]), ["•••"]);
});

Deno.test("plainText() removes everything that controls a terminal", () => {
  const hostile = "\x1b[2J\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1bc\x9b31m\u202ed\x00\b";
  assert.equal(plainText(hostile), "ab31md");
});

Deno.test("createLineStream() splits long lines into pieces", () => {
  const lines = linesOf([], ["x".repeat(10_000)]);
  assert.deepEqual(lines.map(({ length }) => length), [4096, 4096, 1808]);
});

Deno.test("BuildLogs stores lines, passes them to followers, and reports the end", async () => {
  await withLogs(async (logs) => {
    assert.deepEqual(await logs.read(BUILD), []);
    const writer = await logs.open(BUILD);
    const heard: (string | undefined)[] = [];
    logs.follow(BUILD, (line) => heard.push(line?.text));
    writer.add("info", "one");
    writer.add("output", "two");
    assert.deepEqual((await logs.read(BUILD)).map(({ text }) => text), ["one", "two"]);
    assert.equal(logs.isOpen(BUILD), true);
    await writer.end();
    assert.equal(logs.isOpen(BUILD), false);
    assert.deepEqual(heard, ["one", "two", undefined]);
    await logs.remove(BUILD);
    assert.deepEqual(await logs.read(BUILD), []);
  });
});

Deno.test("BuildLogs omits the middle of long output, and reports it", async () => {
  await withLogs(async (logs) => {
    const writer = await logs.open(BUILD);
    for (let count = 1; count <= 1000; count++) writer.add("output", `line ${count}`);
    await writer.end();
    const lines = await logs.read(BUILD);
    const texts = lines.map(({ text }) => text);
    assert.equal(texts[0], "line 1");
    assert.equal(texts.at(-1), "line 1000");
    assert.ok(texts.length < 100);
    assert.ok(texts.some((text) => /^\d+ lines left out/.test(text)));
    const numbers = lines.map(({ number }) => number);
    assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));
  }, { maxBytes: 4000, tailLines: 20 });
});

import assert from "node:assert/strict";
import { createPalette } from "./color.ts";
import { createUi } from "./ui.ts";

function uiOf(json: boolean, terminal = false) {
  const out = { stdout: "", stderr: "" };
  let time = 0;
  const ui = createUi({
    json,
    stdout: { isTerminal: terminal, write: (text) => void (out.stdout += text) },
    stderr: { isTerminal: terminal, write: (text) => void (out.stderr += text) },
    colors: createPalette(false),
    dataColors: createPalette(false),
    now: () => time,
  });
  return { ui, out, pass: (milliseconds: number) => void (time += milliseconds) };
}

Deno.test("createUi() writes log lines with four keys in JSON mode", () => {
  const { ui, out } = uiOf(true);
  ui.log("build", "warn", "careful");
  ui.done("deploy", "there");
  ui.debug("auth", "inner");
  ui.note("for people");
  assert.deepEqual(out.stderr.trimEnd().split("\n").map((line) => JSON.parse(line)), [
    { s: "user", p: "build", l: "warn", m: "careful" },
    { s: "user", p: "deploy", l: "info", m: "there" },
    { s: "debug", p: "auth", l: "info", m: "inner" },
  ]);
});

Deno.test("createUi() writes human-readable text to stderr", () => {
  const { ui, out } = uiOf(false);
  ui.log("build", "info", "going");
  ui.log("build", "warn", "careful");
  ui.done("deploy", "there");
  ui.debug("auth", "inner");
  ui.note("more");
  assert.equal(out.stderr, "• going\nwarning: careful\n✓ there\nmore\n");
});

Deno.test("result() writes one object or text, and refuses a second one", () => {
  const json = uiOf(true);
  json.ui.result({ a: 1 }, "text");
  assert.equal(json.out.stdout, '{"a":1}\n');
  assert.throws(() => json.ui.result({}, ""), TypeError);
  const human = uiOf(false);
  human.ui.result({ a: 1 }, "text");
  assert.equal(human.out.stdout, "text\n");
});

Deno.test("progress() limits how often it redraws a bar on a terminal", () => {
  const { ui, out, pass } = uiOf(false, true);
  const bar = ui.progress("deploy", { label: "Uploading", files: 4, bytes: 4000 });
  bar.add({ files: 1, bytes: 1000 });
  pass(100);
  bar.add({ files: 1, bytes: 1000 });
  bar.end();
  const drawn = out.stderr.split("\r\x1b[2K").slice(1);
  assert.deepEqual(drawn, [
    `Uploading ${"░".repeat(24)} 0/4 files, 0 B of 3.9 KiB`,
    `Uploading ${"█".repeat(12)}${"░".repeat(12)} 2/4 files, 2.0 KiB of 3.9 KiB`,
    "",
  ]);
});

Deno.test("progress() prints a line at each quarter if there is no terminal", () => {
  const { ui, out } = uiOf(false);
  const progress = ui.progress("deploy", { label: "Uploading", files: 8, bytes: 8 });
  for (let file = 0; file < 8; file++) progress.add({ files: 1, bytes: 1 });
  progress.end();
  assert.equal(
    out.stderr,
    [2, 4, 6].map((n) => `• Uploading: ${n}/8 files, ${n} B of 8 B\n`).join(""),
  );
});

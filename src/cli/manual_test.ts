import assert from "node:assert/strict";
import * as fc from "fast-check";
import { runProgram } from "../lib/spawn_program.ts";
import { leavesOf } from "./command/command_entry.ts";
import { COMMANDS } from "./command_tree.ts";
import { renderManual, roffText } from "./manual.ts";

const MANUAL = new URL("../../docs/svc.1", import.meta.url);
const NO_GROFF = await runProgram("groff", { args: ["--version"] }).then(() => false, () => true);

/** Renders a page with groff, and returns the text and the warnings. */
async function show(page: string): Promise<{ readonly text: string; readonly said: string }> {
  const file = await Deno.makeTempFile({ suffix: ".1" });
  await Deno.writeTextFile(file, page);
  const { code, stdout, stderr } = await runProgram("groff", {
    args: ["-man", "-Tutf8", "-ww", "-rLL=2000n", "-P-cbou", file],
  }).finally(() => Deno.remove(file));
  assert.equal(code, 0);
  const [text, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { text: text!, said: said! };
}

Deno.test("renderManual() matches docs/svc.1", async () => {
  const text = await renderManual();
  if (Deno.env.get("UPDATE_GOLDENS") === "1") await Deno.writeTextFile(MANUAL, text);
  assert.equal(text, await Deno.readTextFile(MANUAL));
});

Deno.test("the manual has every command and flag, and no accidental roff requests", async () => {
  const text = await renderManual();
  for (const { words, leaf } of leavesOf(COMMANDS)) {
    if (leaf.hidden === true) continue;
    assert.ok(text.includes(`.SS "${roffText(["svc", ...words].join(" "))}`), words.join(" "));
  }
  const requests = new Set(
    text.split("\n").filter((line) => /^[.']/.test(line))
      .map((line) => line.split(" ")[0]),
  );
  assert.deepEqual([...requests].sort(), [
    ".PP",
    ".SH",
    ".SS",
    ".TH",
    ".TP",
    '.\\"',
    ".fi",
    ".nf",
  ]);
});

Deno.test({
  name: "groff renders the manual without a warning",
  ignore: NO_GROFF,
  async fn() {
    const { text, said } = await show(await renderManual());
    assert.equal(said, "");
    assert.match(text, /--idempotency-key <key>/);
  },
});

Deno.test({
  name: "groff renders text escaped by roffText() unchanged",
  ignore: NO_GROFF,
  async fn() {
    const words = fc.stringMatching(/^[!-_a-~äé€🙂]{1,12}$/u);
    const texts = fc.sample(fc.array(words, { minLength: 1, maxLength: 6 }), 300)
      .map((each) => each.join(" "));
    const page = ['.TH X 1 "" "" ""', ".SH X", ...texts.flatMap((text) => [roffText(text), ".PP"])];
    const { text, said } = await show(`${page.join("\n")}\n`);
    assert.equal(said, "");
    const shown = text.split("\n").map((line) => line.trim());
    for (const each of texts) assert.ok(shown.includes(each), JSON.stringify(each));
  },
});

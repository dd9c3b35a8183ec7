import assert from "node:assert/strict";
import { ERROR_CODES } from "../../contract/common.ts";
import { findCommand } from "../command/arguments.ts";
import { CLI_ERROR_CODES } from "../errors/cli_error.ts";
import { formatMarkdown } from "../_test_markdown.ts";
import { runCli } from "../_test_run.ts";
import { COMMANDS } from "../command_tree.ts";
import { EXPLANATIONS, renderErrorPage } from "./explain_code.ts";
import { hintOfCode } from "../program.ts";

const DOCS = new URL("../../../docs/", import.meta.url);

Deno.test("every code of the CLI and the platform is explained, and no others", () => {
  const codes = new Set<string>([...ERROR_CODES, ...CLI_ERROR_CODES]);
  assert.deepEqual([...EXPLANATIONS.keys()].sort(), [...codes].sort());
});

/** Reads every source file except tests and the explanations of codes. */
async function* sources(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, folder));
    else if (/(?<!_test)\.ts$/.test(name) && !name.startsWith("_") && !name.endsWith("_codes.ts")) {
      yield await Deno.readTextFile(new URL(name, folder));
    }
  }
}

Deno.test("every explained code is actually thrown, not only listed", async () => {
  const uses = new Map([...EXPLANATIONS.keys()].map((code) => [code, 0]));
  for await (const text of sources(new URL("../../", import.meta.url))) {
    for (const [, word] of text.matchAll(/["`]([a-z_]+)["`]/g)) {
      if (uses.has(word!)) uses.set(word!, uses.get(word!)! + 1);
    }
  }
  assert.deepEqual([...uses].filter(([, count]) => count < 2).map(([code]) => code), []);
});

Deno.test("a failure without its own hint gets the hint for its code", async () => {
  const { stdout } = await runCli(["env", "list", "--all", "--environment", "x", "--json"]);
  const { code, hint, docs } = JSON.parse(stdout);
  assert.deepEqual([code, docs], ["usage", "svc explain usage"]);
  assert.equal(hint, EXPLANATIONS.get("usage")!.remedy);
  for (const [each, { remedy }] of EXPLANATIONS) assert.match(remedy, /^[A-Z`].{10,}[.]$/s, each);
  // The code has several causes, and advice for one cause is wrong for the others.
  assert.equal(await hintOfCode("forbidden"), undefined);
});

Deno.test("everything that an explanation mentions exists", async () => {
  for (const [code, { commands, guide }] of EXPLANATIONS) {
    await Deno.stat(new URL(guide, DOCS));
    for (const line of commands) {
      assert.ok(findCommand(line.split(" "), COMMANDS).leaf, `${code}: svc ${line}`);
    }
  }
});

Deno.test("renderErrorPage() matches docs/errors.md", async () => {
  const file = new URL("errors.md", DOCS);
  const text = await formatMarkdown(renderErrorPage());
  if (Deno.env.get("UPDATE_GOLDENS") === "1") await Deno.writeTextFile(file, text);
  assert.equal(text, await Deno.readTextFile(file));
});

Deno.test("svc explain explains a code, and suggests a similar one for an unknown code", async () => {
  const known = await runCli(["explain", "rules_invalid"]);
  assert.equal(known.code, 0);
  assert.match(known.stdout, /^rules_invalid: svc\.rules\.toml has errors/);
  assert.match(known.stdout, /svc rules check\n\nGuide: docs\/rules\.md/);
  const near = await runCli(["explain", "rule_invalid", "--json"]);
  assert.equal(near.code, 2);
  assert.deepEqual(JSON.parse(near.stdout).next, ["svc explain rules_invalid --json"]);
  const all = JSON.parse((await runCli(["explain", "--json"])).stdout);
  assert.equal(all.codes.length, EXPLANATIONS.size);
});

import assert from "node:assert/strict";
import { formatMarkdown } from "./_test_markdown.ts";
import { runCli } from "./_test_run.ts";
import { type CommandEntry, isGroup, leavesOf } from "./command/command_entry.ts";
import { COMMANDS } from "./command_tree.ts";
import { describeGlobalFlags } from "./describe_commands.ts";
import { CLI_PAGES } from "../documents/cli_pages.ts";
import { renderReference } from "./reference.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const HELP = new URL("../../fixtures/cli/help/", import.meta.url);
const isUpdate = Deno.env.get("UPDATE_GOLDENS") === "1";

async function assertGolden(file: URL, text: string): Promise<void> {
  if (isUpdate) await Deno.writeTextFile(file, text);
  assert.equal(text, await Deno.readTextFile(file));
}

Deno.test("renderReference() matches the CLI's pages in docs", async () => {
  for (const [name, text] of await renderReference()) {
    await assertGolden(new URL(`${name}.md`, DOCS), await formatMarkdown(text));
  }
});

Deno.test("every command is on one page of the reference", () => {
  const listed = CLI_PAGES.flatMap(({ commands }) => commands);
  const shown = COMMANDS.filter((entry) => isGroup(entry) || entry.hidden !== true)
    .map(({ name }) => name);
  assert.deepEqual(listed.toSorted(), shown.toSorted());
});

/** Returns the words of every group and command. */
function linesOf(entries: readonly CommandEntry[], above: readonly string[]): string[][] {
  return entries.flatMap((entry) => {
    const words = [...above, entry.name];
    return [words, ...isGroup(entry) ? linesOf(entry.commands, words) : []];
  });
}

const lines = [[], ...linesOf(COMMANDS, [])];

for (const words of lines) {
  Deno.test(`svc ${[...words, "--help"].join(" ")} matches its golden file`, async () => {
    const { code, stdout, stderr } = await runCli([...words, "--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    await assertGolden(new URL(`${["svc", ...words].join("_")}.txt`, HELP), stdout);
  });
}

Deno.test("every example of a command parses", async () => {
  for (const { words: prefix, leaf } of leavesOf(COMMANDS)) {
    // The examples of a hidden command are never shown, and can use the name that replaces it.
    if (leaf.hidden === true) continue;
    const command = (await leaf.load()).default;
    assert.ok(command.examples.length > 0, `${leaf.name} has no example`);
    for (const [line] of command.examples) {
      const [typed = ""] = line.split(/ [<>|] /);
      const words = typed.match(/'[^']*'|\$\([^)]*\)|\S+/g)!.map((word) =>
        word.replaceAll("'", "")
      );
      const own = words.slice(prefix.length).filter((word) => word !== "--json");
      assert.deepEqual(words.slice(0, prefix.length), prefix, line);
      let ran = false;
      const parser = command.build(leaf.name, () => {
        ran = true;
        return Promise.resolve();
      });
      await parser.exitOverride().parseAsync(own, { from: "user" });
      assert.ok(ran, line);
    }
  }
});

Deno.test("no command has a flag with the name of a global flag", async () => {
  const shared = new Set<unknown>(
    describeGlobalFlags().flatMap(({ flag }) => flag.match(/--[a-z-]+/)),
  );
  assert.ok(shared.has("--api-url"));
  for (const { words, leaf } of leavesOf(COMMANDS)) {
    const { options } = (await leaf.load()).default.build(leaf.name, () => Promise.resolve());
    const taken = options.map(({ long }) => long).filter((long) => shared.has(long));
    // The parser distinguishes `svc upgrade --version` from `svc --version`.
    const allowed = words.join(" ") === "upgrade" ? ["--version"] : [];
    assert.deepEqual(taken, allowed, words.join(" "));
  }
});

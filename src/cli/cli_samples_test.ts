/** Checks the command lines in the API reference. */
import assert from "node:assert/strict";
import { CLI_SAMPLES } from "../contract/cli_samples.ts";
import { endpoints } from "../contract/endpoints.ts";
import { leavesOf } from "./command/command_entry.ts";
import { COMMANDS } from "./command_tree.ts";

const LEAVES = leavesOf(COMMANDS);

for (const [name, line] of Object.entries(CLI_SAMPLES)) {
  Deno.test(`the command line for ${name} parses`, async () => {
    assert.ok(Object.hasOwn(endpoints, name));
    const [typed = ""] = line.split(/ [<>|] /);
    const words = typed.match(/'[^']*'|"[^"]*"|\S+/g)!.map((word) => word.replaceAll(/['"]/g, ""));
    const fits = LEAVES.filter((each) =>
      ["svc", ...each.words].every((word, at) => words[at] === word)
    );
    const found = fits.toSorted((a, b) => b.words.length - a.words.length).at(0);
    assert.ok(found, line);
    let ran = false;
    const parser = (await found.leaf.load()).default.build(found.leaf.name, () => {
      ran = true;
      return Promise.resolve();
    });
    parser.exitOverride().configureOutput({ writeErr: () => {} });
    await parser.parseAsync(words.slice(found.words.length + 1), { from: "user" });
    assert.ok(ran, line);
  });
}

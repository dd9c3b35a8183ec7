import assert from "node:assert/strict";
import { ajvWithFormats } from "../../lib/_test_ajv.ts";
import { runCli } from "../_test_run.ts";
import { leavesOf } from "../command/command_entry.ts";
import { answerMembers } from "../answers/schemas.ts";
import { COMMANDS } from "../command_tree.ts";

/** Commands that print no JSON, because they follow another program's protocol. */
const SILENT = ["git-credential", "mcp"];
/** Names that have a schema but are not commands. */
const OTHERS = ["help", "version"];

const told = async (...words: string[]) => {
  const { code, stdout } = await runCli([...words, "--json"]);
  return { code, answer: JSON.parse(stdout) };
};

Deno.test("svc schema --list lists every command that prints JSON, and no others", async () => {
  const { answer } = await told("schema", "--list");
  const commands = leavesOf(COMMANDS).filter(({ leaf }) => leaf.hidden !== true)
    .map(({ words }) => words.join(" ")).filter((words) => !SILENT.includes(words));
  const listed: string[] = answer.commands.map(({ command }: { command: string }) => command);
  assert.deepEqual(listed.toSorted(), [...commands, ...OTHERS].toSorted());
  for (const { command, members } of answer.commands) {
    assert.equal(members, answerMembers(command));
    if (command !== "env pull") assert.match(String(members), /\{ [a-z]/, command);
  }
});

Deno.test("every schema is valid JSON Schema 2020-12, and closed at the top level", async () => {
  const { answer: { commands } } = await told("schema", "--list");
  const ajv = ajvWithFormats({ strict: true, allowUnionTypes: true });
  for (const { command, prints } of commands) {
    const { answer: { schema, lines } } = await told("schema", ...command.split(" "));
    assert.deepEqual(prints, [
      ...schema === null ? [] : ["object"],
      ...lines === null ? [] : ["lines"],
    ]);
    for (const each of [schema, lines]) {
      if (each === null) continue;
      assert.equal(each.$schema, "https://json-schema.org/draft/2020-12/schema");
      assert.equal(ajv.validateSchema(each), true, `${command}: ${ajv.errorsText()}`);
      const check = ajv.compile(each);
      assert.equal(check({ surely: "unknown" }), false, command);
    }
  }
});

Deno.test("svc schema prints a readable schema, and --lines the schema of a stream's lines", async () => {
  const { stdout } = await runCli(["schema", "logs"]);
  assert.ok(JSON.parse(stdout).anyOf.length === 2);
  const lines = JSON.parse((await runCli(["schema", "logs", "--lines"])).stdout);
  assert.match(JSON.stringify(lines), /"request"/);
  const failure = JSON.parse((await runCli(["schema", "failure"])).stdout);
  assert.deepEqual(failure.required, ["error", "code", "docs"]);
  assert.equal((await runCli(["schema", "svc", "projects", "list"])).code, 0);
});

Deno.test("an unknown command gets a suggestion", async () => {
  const { code, answer } = await told("schema", "projects", "lst");
  assert.deepEqual([code, answer.code], [2, "usage"]);
  assert.deepEqual(answer.next, ["svc schema projects list --json"]);
  const far = await told("schema", "nosuch");
  assert.deepEqual(far.answer.next, ["svc schema --list --json"], "no similar name");
  assert.equal((await told("schema")).answer.code, "usage");
  assert.match(
    (await told("schema", "projects", "list", "--lines")).answer.error,
    /^Cannot use --lines/,
  );
});

Deno.test("svc --help --json describes the whole tree, and matches its schema", async () => {
  // `runCli()` checks each output against its schema.
  const { answer } = await told("--help");
  const shown = leavesOf(COMMANDS).filter(({ leaf }) => leaf.hidden !== true)
    .map(({ words }) => ["svc", ...words].join(" "));
  assert.deepEqual(answer.commands.map(({ command }: { command: string }) => command), shown);
  assert.ok(answer.flags.some(({ flag }: { flag: string }) => flag === "--json"));
  for (const { command, answers } of answer.commands) {
    assert.equal(answers === null, SILENT.includes(command.slice(4)), command);
  }
  const { answer: group } = await told("db", "branches", "--help");
  assert.deepEqual(
    new Set(group.commands.map(({ command }: { command: string }) => command.split(" ")[2])),
    new Set(["branches"]),
  );
  assert.equal("flags" in group, false);
  assert.equal((await told("--version")).code, 0);
});

/**
 * Checks that the generated reference contains every command and flag in the specification's table.
 */
import { CLI_PAGES } from "../documents/cli_pages.ts";
import assert from "node:assert/strict";

const read = (path: string): string =>
  Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));

interface SpecifiedCommand {
  /** Words of the command after `svc`. */
  readonly command: string;
  readonly flags: readonly string[];
}

const CODE = /`([^`]+)`/g;
const codeOf = (cell: string): string[] => [...cell.matchAll(CODE)].map(([, code]) => code!);
const flagsIn = (text: string): string[] => text.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? [];

/** Returns the words before the arguments, such as `db info` for `db info [database]`. */
const nameOf = (code: string): string => code.replace(/ [[<-].*$/, "");

/**
 * Reads a row, which can name several commands of one group, and flags that only some of these
 * commands have.
 */
function readRow(row: string): SpecifiedCommand[] {
  const [, first = "", second = ""] = row.replaceAll("\\|", "/").split("|");
  const [head = "", ...more] = codeOf(first).map(nameOf);
  const [group] = head.split(" ");
  const names = [head, ...more.map((name) => `${group} ${name}`)];
  const codes = codeOf(second);
  return names.map((command) => {
    const own = command.split(" ").at(-1)!;
    const flags = codes.flatMap((code) => {
      const [word = ""] = code.split(" ");
      return word.startsWith("-") || word === own ? flagsIn(code) : [];
    });
    return { command, flags };
  });
}

/** The text of each section of the reference, keyed by the command in its heading. */
const sections = new Map(
  CLI_PAGES.flatMap(({ name }) => read(`docs/${name}.md`).split(/^## `svc /m).slice(1))
    .map((section) => [section.slice(0, section.indexOf("`")), section]),
);

/** Returns the section of a command, or of the group's fallback command if there is one. */
function sectionOf(command: string): string | undefined {
  return sections.get(command) ?? sections.get(`${command} list`);
}

const wanted = read("fixtures/cli/commands_of_spec.md").split("\n")
  .filter((line) => line.startsWith("| `")).flatMap(readRow);

Deno.test("the table of the specification is read completely", () => {
  assert.equal(wanted.length, 56);
  assert.ok(wanted.some(({ command }) => command === "db branches connection"));
  const kv = wanted.find(({ command }) => command === "kv set");
  assert.deepEqual(kv?.flags, ["--ttl"]);
});

for (const { command, flags } of wanted) {
  Deno.test(`the reference has svc ${[command, ...flags].join(" ")}`, () => {
    const section = sectionOf(command);
    assert.ok(section !== undefined, `The reference has no svc ${command}`);
    const missing = flags.filter((flag) =>
      !new RegExp(`(?:\`|, )${flag}(?![\\w-])`, "m").test(section)
    );
    assert.deepEqual(missing, []);
  });
}

/** The rows of the global flags table: each flag with its variable. */
const globals = read("fixtures/cli/global_flags_of_spec.md").split("\n")
  .filter((line) => line.startsWith("| `--")).map(codeOf);

Deno.test("the reference has the global flags, with their variables", () => {
  assert.equal(globals.length, 3);
  const text = read("docs/cli.md").split(/^## Workspace/m)[0]!;
  const rows = text.split("\n").filter((line) => line.startsWith("| `--"));
  for (const [flag, variable] of globals) {
    const row = rows.find((each) => codeOf(each).includes(flag!));
    assert.ok(row?.includes(variable!), `${flag}, ${variable}: ${row}`);
  }
});

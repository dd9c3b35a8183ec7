/** Checks that every hint names commands, flags, variables, keys and guides that exist. */
import assert from "node:assert/strict";
import { TABLE_KEYS } from "../config/schema.ts";
import { flagOf, SETTINGS, variableOf } from "../settings/mod.ts";
import { COMMANDS } from "./command_tree.ts";
import { findCommand } from "./command/arguments.ts";
import { describeCommands, describeGlobalFlags } from "./describe_commands.ts";
import { EXPLANATIONS } from "./explain/explain_code.ts";

const SOURCES = new URL("../", import.meta.url);
const DOCS = new URL("../../docs/", import.meta.url);

/** Flags of other programs: git, pg_restore, psql, pg_checksums. */
const FOREIGN_FLAGS = new Set([
  "--init",
  "--recursive",
  "--no-owner",
  "--file",
  "--enable",
  "--single-transaction",
  "--unshallow",
]);

/** Words after "svc" that are not commands. */
const NOUNS = new Set([
  "platform",
  "that",
  "is",
  "does",
  "on",
  "in",
  "itself",
  "sets",
  "again",
  "as",
]);

async function* sourceFiles(folder: URL): AsyncGenerator<readonly [string, string]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sourceFiles(new URL(`${name}/`, folder));
    else if (/(?<!_test|_bench)\.tsx?$/.test(name) && !name.startsWith("_")) {
      const url = new URL(name, folder);
      yield [url.pathname.slice(SOURCES.pathname.length), await Deno.readTextFile(url)];
    }
  }
}

const LITERAL = String
  .raw`(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"})`;
const HINT = new RegExp(
  String.raw`\b(?:hint|HINT|advice|remedy)(?::|\s*=)\s*(${LITERAL}(?:\s*\+\s*${LITERAL})*)`,
  "g",
);

/** Returns the text of concatenated literals. */
const textOf = (literals: string): string =>
  literals.replace(/["'`]\s*\+\s*["'`]/g, "").slice(1, -1);

interface Hint {
  readonly file: string;
  readonly text: string;
}

async function collectHints(): Promise<{ readonly hints: readonly Hint[]; readonly rest: string }> {
  const hints: Hint[] = [];
  let rest = "";
  for await (const [file, source] of sourceFiles(SOURCES)) {
    for (const [, literals] of source.matchAll(HINT)) {
      hints.push({ file, text: textOf(literals!) });
    }
    rest += source.replaceAll(HINT, "");
  }
  for (const [code, { remedy }] of EXPLANATIONS) hints.push({ file: `code ${code}`, text: remedy });
  return { hints, rest };
}

const { hints, rest } = await collectHints();
const each = (pattern: RegExp, check: (match: RegExpMatchArray, hint: Hint) => boolean) => {
  const wrong = hints.flatMap((hint) =>
    [...hint.text.matchAll(pattern)].filter((match) => !check(match, hint))
      .map(([found]) => `${hint.file}: "${found}" in "${hint.text}"`)
  );
  assert.deepEqual(wrong, []);
};

Deno.test("the source has hints to check", () => {
  assert.ok(hints.length > 150, `${hints.length}`);
});

Deno.test("commands in hints exist", () => {
  each(/\bsvc ([a-z][a-z-]*)((?: [a-z][a-z-]*)*)/g, ([, first, more]) => {
    if (NOUNS.has(first!)) return true;
    const words = [first!, ...more!.trim().split(" ").filter((word) => word !== "")];
    const { leaf, isUnknown } = findCommand(words, COMMANDS);
    return leaf !== undefined || !isUnknown;
  });
});

Deno.test("flags in hints exist", async () => {
  const commands = await describeCommands();
  const known = new Set([
    ...FOREIGN_FLAGS,
    "--help",
    ...[...describeGlobalFlags(), ...commands.flatMap(({ flags }) => flags)]
      .flatMap(({ flag }) => flag.match(/--[a-z-]+/g) ?? []),
    ...SETTINGS.map((setting) => /--[a-z-]+/.exec(flagOf(setting))?.[0] ?? ""),
  ]);
  each(/(?<![\w-])--[a-z][a-z-]*[a-z]/g, ([flag]) => known.has(flag));
});

Deno.test("variables in hints exist", () => {
  const settings = new Set(SETTINGS.map(variableOf));
  each(/\bSVC_[A-Z_]*[A-Z]/g, ([name]) => settings.has(name) || rest.includes(name));
});

Deno.test("keys of svc.toml in hints exist", () => {
  const has = (table: string, key: string) =>
    TABLE_KEYS[table] === undefined || TABLE_KEYS[table].includes(key);
  each(
    /\b([a-z_]+)[`"]?(?: = [^ ]+)? (?:under|in|to|of) [`"]?\[([a-z]+)\]/g,
    ([, key, table]) => has(table!, key!),
  );
  each(
    /\b(build|dev|db|env|server|project)\.([a-z]+(?:_[a-z]+)*)\b(?![.(])/g,
    ([, table, key]) => key === "mjs" || key === "js" || key === "ts" || has(table!, key!),
  );
});

Deno.test("guides in hints exist", async () => {
  const names = new Set<string>();
  for await (const { name } of Deno.readDir(DOCS)) names.add(name);
  each(/\bdocs\/([\w-]+\.md)/g, ([, name]) => names.has(name!));
});

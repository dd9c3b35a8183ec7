/**
 * What was typed after `svc`, before the parser sees it: which command it is
 * about, and spellings that the parser itself does not accept. Pure.
 *
 * @module
 */
import { CliError, type KnownFlag } from "../errors/mod.ts";
import { type CommandEntry, type CommandLeaf, entryNamed, isGroup } from "./command_entry.ts";

/** A flag of most commands in groups, which may stand before the command as well. */
const PROJECT_FLAG = "--project-id";

/** Flags that may stand before the command, and are followed by a value. */
const VALUE_FLAGS: ReadonlySet<string> = new Set([
  "--token",
  "--workspace",
  "--api-url",
  "--cwd",
  PROJECT_FLAG,
]);

const HELP_FLAGS: ReadonlySet<string> = new Set(["--help", "-h", "--version", "-v"]);

export interface Lookup {
  /** The command; `undefined` where the words name a group or none. */
  readonly leaf: CommandLeaf | undefined;
  /** True where a word should name a command, and does not. */
  readonly isUnknown: boolean;
  /**
   * The words as the parser takes them: with the fallback command of a group if
   * none is given, and flags of the command behind it.
   */
  readonly argv: readonly string[];
}

/** Puts `--project-id` behind the word that ends a command's name, where it stands before it. */
function withFlagsLast(argv: readonly string[], end: number): readonly string[] {
  const before: string[] = [];
  const moved: string[] = [];
  for (let index = 0; index < end; index++) {
    const word = argv[index]!;
    if (word === PROJECT_FLAG) moved.push(word, argv[++index]!);
    else if (word.startsWith(`${PROJECT_FLAG}=`)) moved.push(word);
    else before.push(word);
  }
  return moved.length === 0 ? argv : [...before, ...moved, ...argv.slice(end)];
}

/** Finds the command that a command line is about, so that only this one is loaded. */
export function findCommand(argv: readonly string[], commands: readonly CommandEntry[]): Lookup {
  let entries = commands;
  let group: { readonly fallback: CommandLeaf | undefined; readonly end: number } | undefined;
  let isUnknown = false;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === "--") break;
    if (VALUE_FLAGS.has(word)) index++;
    if (word.startsWith("-")) continue;
    const entry = entryNamed(entries, word, group !== undefined);
    if (entry === undefined) {
      isUnknown = true;
      // The value of the fallback's flag may be any word, but no value follows a group's name.
      if (index === group?.end) group = undefined;
      break;
    }
    if (!isGroup(entry)) {
      return { leaf: entry, isUnknown: false, argv: withFlagsLast(argv, index + 1) };
    }
    entries = entry.commands;
    const fallback = entry.commands.find((each): each is CommandLeaf =>
      !isGroup(each) && each.name === entry.fallback
    );
    group = { fallback, end: index + 1 };
  }
  // Help for a group lists its commands, where there are others beside the usual one.
  const wantsGroup = entries.length > 1 && argv.some((word) => HELP_FLAGS.has(word));
  const leaf = wantsGroup ? undefined : group?.fallback;
  if (leaf === undefined || group === undefined) return { leaf: undefined, isUnknown, argv };
  const completed = [...argv.slice(0, group.end), leaf.name, ...argv.slice(group.end)];
  return { leaf, isUnknown: false, argv: withFlagsLast(completed, group.end + 1) };
}

/** The names of the group or command that a command line is about, such as `db`, `branches`. */
export function namedWords(
  argv: readonly string[],
  commands: readonly CommandEntry[],
): readonly string[] {
  const words: string[] = [];
  let entries = commands;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (VALUE_FLAGS.has(word)) index++;
    if (word.startsWith("-")) continue;
    const entry = entryNamed(entries, word, words.length > 0);
    if (entry === undefined) break;
    words.push(entry.name);
    if (!isGroup(entry)) break;
    entries = entry.commands;
  }
  return words;
}

/** The command line without what asks for help: an unknown command has none to show. */
export function withoutHelpFlags(argv: readonly string[]): readonly string[] {
  return argv.filter((word) => !HELP_FLAGS.has(word));
}

/**
 * Reads `--flag=true` as `--flag`, and drops `--flag=false`, for flags that take
 * no value.
 *
 * @throws {CliError} for any other value of such a flag.
 */
export function resolveSwitches(
  argv: readonly string[],
  flags: readonly KnownFlag[],
): readonly string[] {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  return [...own.flatMap((word) => resolveSwitch(word, flags)), ...argv.slice(own.length)];
}

function resolveSwitch(word: string, flags: readonly KnownFlag[]): readonly string[] {
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const flag = flags.find(({ long }) => long === name);
  if (name === undefined || flag === undefined || flag.takesValue) return [word];
  if (value === "true") return [name];
  if (value === "false") return [];
  throw new CliError("usage", `Give ${name} alone, or as ${name}=true or ${name}=false`);
}

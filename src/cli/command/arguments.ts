/**
 * @module Finds the command in the arguments, and accepts spellings that the parser would reject.
 */
import { CliError } from "../errors/cli_error.ts";
import type { KnownFlag } from "../errors/suggested_commands.ts";
import { type CommandEntry, type CommandLeaf, entryNamed, isGroup } from "./command_entry.ts";

/** A flag that most commands in groups accept. It can also precede the command. */
const PROJECT_FLAG = "--project-id";

/** Flags that can precede the command and take a value. */
const VALUE_FLAGS: ReadonlySet<string> = new Set([
  "--token",
  "--workspace",
  "--api-url",
  "--cwd",
  PROJECT_FLAG,
]);

const HELP_FLAGS: ReadonlySet<string> = new Set(["--help", "-h", "--version", "-v"]);

export interface Lookup {
  /** The command, or `undefined` if the words name a group or nothing. */
  readonly leaf: CommandLeaf | undefined;
  /** True if a word is in the position of a command's name, but no command has this name. */
  readonly isUnknown: boolean;
  /**
   * The command line for the parser: if a group is called without a command, the group's fallback
   * command is added, and flags are moved after the command.
   */
  readonly argv: readonly string[];
}

/** Moves a `--project-id` inside a command's name to the end of that name. */
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

/** Finds the command that a command line names. Only this command is loaded. */
export function findCommand(argv: readonly string[], commands: readonly CommandEntry[]): Lookup {
  let entries = commands;
  let group: { readonly fallback: CommandLeaf | undefined; readonly end: number } | undefined;
  let isUnknown = false;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === "--") break;
    if (VALUE_FLAGS.has(word)) index++;
    if (word.startsWith("-")) continue;
    const entry = entryNamed(entries, word);
    if (entry === undefined) {
      isUnknown = true;
      // The word can be the value of one of the fallback command's flags, unless it directly
      // follows the group's name.
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
  // Help for a group lists its commands if it has more than one.
  const wantsGroup = entries.length > 1 && argv.some((word) => HELP_FLAGS.has(word));
  const leaf = wantsGroup ? undefined : group?.fallback;
  if (leaf === undefined || group === undefined) return { leaf: undefined, isUnknown, argv };
  const completed = [...argv.slice(0, group.end), leaf.name, ...argv.slice(group.end)];
  return { leaf, isUnknown: false, argv: withFlagsLast(completed, group.end + 1) };
}

/**
 * Returns the words of the group or command that a command line names, such as `db`, `branches`.
 */
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
    const entry = entryNamed(entries, word);
    if (entry === undefined) break;
    words.push(entry.name);
    if (!isGroup(entry)) break;
    entries = entry.commands;
  }
  return words;
}

/** Removes requests for help from the command line, because an unknown command has no help. */
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

/** Inputs that some commands take as an argument and others as a flag. */
const NAMED_INPUTS = ["name", "database", "url"] as const;

/**
 * Accepts `--name x` for a command whose only argument is `name`, and `create x` for a command that
 * takes `--name`. This way, users do not have to remember which form a command takes.
 */
export function resolveNamedInput(
  argv: readonly string[],
  { flags, args, path }: {
    readonly flags: readonly KnownFlag[];
    readonly args: readonly string[];
    /** Words that name the command. */
    readonly path: readonly string[];
  },
): readonly string[] {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const rest = argv.slice(own.length);
  const [input] = NAMED_INPUTS.filter((name) => args.length === 1 && args[0] === name);
  if (input !== undefined && !flags.some(({ long }) => long === `--${input}`)) {
    return [...asArgument(own, `--${input}`), ...rest];
  }
  const takesName = flags.some(({ long, takesValue }) => long === "--name" && takesValue);
  if (path.at(-1) !== "create" || args.length > 0 || !takesName) return argv;
  return [...asNameFlag(own, flags, path), ...rest];
}

function asArgument(words: readonly string[], flag: string): readonly string[] {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at === -1) return words;
  const [word, next] = [words[at]!, words[at + 1]];
  if (word !== flag) return words.with(at, word.slice(flag.length + 1));
  return next === undefined ? words : words.toSpliced(at, 1);
}

function asNameFlag(
  words: readonly string[],
  flags: readonly KnownFlag[],
  path: readonly string[],
): readonly string[] {
  if (words.some((word) => word === "--name" || word.startsWith("--name="))) return words;
  let named = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word.startsWith("-")) {
      const flag = flags.find(({ long, short }) => long === word || short === word);
      if (flag?.takesValue === true) index++;
    } else if (named++ === path.length) return words.toSpliced(index, 1, "--name", word);
  }
  return words;
}

function resolveSwitch(word: string, flags: readonly KnownFlag[]): readonly string[] {
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const flag = flags.find(({ long }) => long === name);
  if (name === undefined || flag === undefined || flag.takesValue) return [word];
  if (value === "true") return [name];
  if (value === "false") return [];
  throw new CliError("usage", `Use ${name} alone, ${name}=true or ${name}=false`);
}

/**
 * @module Describes the commands as data: the output of `--help --json`, and the source of
 * `docs/cli.md`.
 */
import type { Command, Option, OptionValues } from "@commander-js/extra-typings";
import { answerMembers } from "./answers/schemas.ts";
import {
  type CommandLeaf,
  leavesOf,
  type NamedLeaf,
  type Section,
} from "./command/command_entry.ts";
import { COMMANDS } from "./command_tree.ts";
import { buildProgram } from "./parser.ts";

export interface ArgumentDescription {
  readonly name: string;
  readonly required: boolean;
  /** True if the argument takes all remaining words. */
  readonly variadic: boolean;
  readonly meaning: string;
  /** The default value, or `null` if there is none. */
  readonly default: unknown;
}

export interface FlagDescription {
  /** Heading of the flag in help, or `null` for the general heading. */
  readonly group: string | null;
  /** The flag as shown in help, such as `-y, --yes` or `--port <port>`. */
  readonly flag: string;
  readonly takesValue: boolean;
  /** True if the flag can be given more than once. */
  readonly repeatable: boolean;
  readonly meaning: string;
  /** The only values that the flag accepts, or `null` if any other value is allowed too. */
  readonly choices: readonly string[] | null;
  /** The default value, or `null` if there is none. */
  readonly default: unknown;
}

export interface CommandDescription {
  /** The command, including the leading `svc`. */
  readonly command: string;
  readonly section: Section | null;
  readonly summary: string;
  readonly description: string | null;
  readonly arguments: readonly ArgumentDescription[];
  readonly flags: readonly FlagDescription[];
  readonly examples: readonly { readonly line: string; readonly meaning: string }[];
  /** Members of the object that `--json` prints. */
  readonly answers: string | null;
}

type Parser = Command<unknown[], OptionValues>;

function describeFlag(option: Option): FlagDescription {
  return {
    group: option.helpGroupHeading?.replace(/:$/, "") ?? null,
    flag: option.flags,
    takesValue: option.required || option.optional,
    repeatable: option.variadic || Array.isArray(option.defaultValue),
    meaning: option.description,
    choices: option.argChoices ?? null,
    default: option.defaultValue ?? null,
  };
}

const describeArguments = (parser: Parser): ArgumentDescription[] =>
  parser.registeredArguments.map((argument) => ({
    name: argument.name(),
    required: argument.required,
    variadic: argument.variadic,
    meaning: argument.description,
    default: argument.defaultValue ?? null,
  }));

/** Returns the heading under which help lists the command or its group. */
const sectionOf = ([first]: readonly string[]): Section | null =>
  COMMANDS.find(({ name }) => name === first)?.section ?? null;

async function describeLeaf({ words, leaf }: NamedLeaf): Promise<CommandDescription> {
  const command = (await leaf.load()).default;
  const parser = command.build(leaf.name, () => Promise.resolve());
  return {
    command: ["svc", ...words].join(" "),
    section: sectionOf(words),
    summary: leaf.summary,
    description: command.description ?? null,
    arguments: describeArguments(parser),
    flags: parser.options.filter(({ hidden }) => !hidden).map(describeFlag),
    examples: command.examples.map(([line, meaning]) => ({ line: `svc ${line}`, meaning })),
    answers: answerMembers(words.join(" ")) ?? null,
  };
}

const isShown = ({ leaf }: { readonly leaf: CommandLeaf }): boolean => leaf.hidden !== true;

/** Describes commands for people and agents: a single command, or all commands of a group. */
export async function describeCommands(
  below: readonly string[] = [],
): Promise<readonly CommandDescription[]> {
  const asked = leavesOf(COMMANDS).filter(isShown)
    .filter(({ words }) => below.every((word, index) => words[index] === word));
  return await Promise.all(asked.map(describeLeaf));
}

/** Describes the flags that every command takes. */
export function describeGlobalFlags(): readonly FlagDescription[] {
  const program = buildProgram(undefined, {
    perform: () => Promise.resolve(),
    captured: { text: "" },
  });
  return (program as unknown as Parser).options.map(describeFlag);
}

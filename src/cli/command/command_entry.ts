/** @module Types of the command tree. */
import type { LoadedCommand } from "./command.ts";

/** Headings of the command list in help, in this order. */
export const SECTIONS = [
  "Projects and deployments",
  "Rules and functions",
  "Configuration",
  "Notifications and automation",
  "Account",
  "Platform",
  "Tool",
] as const;
export type Section = (typeof SECTIONS)[number];

export interface CommandLeaf {
  readonly name: string;
  readonly summary: string;
  /** Heading in help. Commands in a group have none. */
  readonly section?: Section;
  /**
   * True for commands that programs, rather than people, call. Help and the reference omit them.
   */
  readonly hidden?: boolean;
  /** True for commands that respond to requests until they are stopped. */
  readonly serves?: boolean;
  readonly load: () => Promise<{ readonly default: LoadedCommand }>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly section?: Section;
  /** Name of the command to run if no command is given. */
  readonly fallback?: string;
  readonly commands: readonly CommandEntry[];
}

export type CommandEntry = CommandLeaf | CommandGroup;

/** Returns true for an entry that only groups commands. */
export function isGroup(entry: CommandEntry): entry is CommandGroup {
  return "commands" in entry;
}

/** A command with its words, such as `db`, `branches`, `create`. */
export interface NamedLeaf {
  readonly words: readonly string[];
  readonly leaf: CommandLeaf;
}

/** Returns all commands below these entries in order, including hidden ones. */
export function leavesOf(
  entries: readonly CommandEntry[],
  above: readonly string[] = [],
): readonly NamedLeaf[] {
  return entries.flatMap((entry) => {
    const words = [...above, entry.name];
    return isGroup(entry) ? leavesOf(entry.commands, words) : [{ words, leaf: entry }];
  });
}

/** Common aliases of commands. */
const ALIASES: Readonly<Record<string, string>> = {
  list: "ls",
  delete: "rm",
  remove: "rm",
  create: "add",
  set: "add",
};

/** Returns the alias of a command, or `undefined` if it has none. Groups have no alias. */
export function aliasOf(entry: CommandEntry): string | undefined {
  return isGroup(entry) ? undefined : ALIASES[entry.name];
}

export function entryNamed(
  entries: readonly CommandEntry[],
  word: string,
): CommandEntry | undefined {
  return entries.find((entry) => entry.name === word) ??
    entries.find((entry) => aliasOf(entry) === word);
}

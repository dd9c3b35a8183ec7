/**
 * What the command tree is made of.
 *
 * @module
 */
import type { LoadedCommand } from "./command.ts";

export interface CommandLeaf {
  readonly name: string;
  readonly summary: string;
  /** True for what programs call, not people: help and reference leave it out. */
  readonly hidden?: boolean;
  readonly load: () => Promise<{ readonly default: LoadedCommand }>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandLeaf[];
}

export type CommandEntry = CommandLeaf | CommandGroup;

/** True for a command that only holds others. */
export function isGroup(entry: CommandEntry): entry is CommandGroup {
  return "commands" in entry;
}

/**
 * Completion in the shell, by `@bomb.sh/tab`: the script that a shell loads,
 * and the answers that it asks the tool for.
 *
 * @module
 */
import { type Command as Completer, RootCommand } from "@bomb.sh/tab";
import type { Command, OptionValues } from "@commander-js/extra-typings";
import { type CommandEntry, type CommandLeaf, isGroup } from "./command_entry.ts";

type Parser = Pick<Command<unknown[], OptionValues>, "options" | "registeredArguments">;

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const PROGRAM = "svc";

/** Runs `print`, which writes to the console at once, and returns what it wrote. */
function captured(print: () => void): string {
  const lines: string[] = [];
  const real = globalThis.console;
  const log = (text: string) => void lines.push(text);
  globalThis.console = Object.assign(Object.create(real), { log });
  try {
    print();
  } finally {
    globalThis.console = real;
  }
  return lines.join("\n");
}

/** The script that makes a shell ask `svc` for completions. */
export function completionScript(shell: Shell): string {
  return captured(() => new RootCommand().setup(PROGRAM, PROGRAM, shell)).trimEnd();
}

function addChoices(target: Completer, parser: Parser): void {
  for (const option of parser.options) {
    const name = option.long?.replace(/^--/, "");
    if (name === undefined || option.hidden) continue;
    const choices = option.argChoices ?? [];
    if (option.required || option.optional) {
      target.option(name, option.description, (complete) => {
        for (const choice of choices) complete(choice, "");
      });
    } else target.option(name, option.description);
  }
  for (const argument of parser.registeredArguments) {
    const choices = argument.argChoices ?? [];
    target.argument(argument.name(), (complete) => {
      for (const choice of choices) complete(choice, "");
    }, argument.variadic);
  }
}

const visible = (entries: readonly CommandEntry[]) =>
  entries.filter((entry) => isGroup(entry) || entry.hidden !== true);

/** The command line that is completed, as the tool knows it. */
export interface CommandLine {
  readonly commands: readonly CommandEntry[];
  /** The command that the words name so far. */
  readonly asked: CommandLeaf | undefined;
  readonly globalFlags: Parser["options"];
}

/** What fits at the end of `words`, as the shell's script reads it; loads one command at most. */
export async function complete(
  words: readonly string[],
  { commands, asked, globalFlags }: CommandLine,
): Promise<string> {
  const root = new RootCommand();
  const parser = asked === undefined
    ? undefined
    : (await asked.load()).default.build(asked.name, () => Promise.resolve());
  const global = { options: globalFlags, registeredArguments: [] };
  const add = (title: string, entry: CommandEntry): void => {
    const target = root.command(title, entry.summary);
    addChoices(target, global);
    if (entry === asked && parser !== undefined) addChoices(target, parser);
  };
  addChoices(root, global);
  for (const entry of visible(commands)) {
    add(entry.name, entry);
    if (!isGroup(entry)) continue;
    for (const leaf of visible(entry.commands)) add(`${entry.name} ${leaf.name}`, leaf);
  }
  return captured(() => root.parse([...words]));
}

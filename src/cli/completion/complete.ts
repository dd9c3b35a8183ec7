/** @module Shell completion with `@bomb.sh/tab`. */
import type { Command as Completer } from "@bomb.sh/tab";
import type { Command, OptionValues } from "@commander-js/extra-typings";
import { aliasOf, type CommandEntry, type CommandLeaf, isGroup } from "../command/command_entry.ts";
import type { LoadedCommand } from "../command/command.ts";
import type { Candidate, CandidateKind, LookUp } from "../session/candidate.ts";
import { BASH_SCRIPT } from "./bash_script.ts";
import { POWERSHELL_SCRIPT } from "./powershell_script.ts";

type Parser = Pick<Command<unknown[], OptionValues>, "options" | "registeredArguments">;

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const PROGRAM = "svc";

/** Flags that name resources on the platform, in any command. */
const FLAG_KINDS: Readonly<Record<string, CandidateKind>> = {
  "--project-id": "project",
  "--database": "database",
  "--environment": "environment",
  "--deployment-id": "deployment",
  "--to": "deployment",
  "--workspace": "workspace",
};

/** Runs `print`, which writes directly to the console, and returns its output. */
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

/** Returns the shell script that gets completions from `svc`. */
export async function completionScript(shell: Shell): Promise<string> {
  if (shell === "bash") return BASH_SCRIPT;
  if (shell === "powershell") return POWERSHELL_SCRIPT;
  const { RootCommand } = await import("@bomb.sh/tab");
  return captured(() => new RootCommand().setup(PROGRAM, PROGRAM, shell)).trimEnd();
}

/** Candidates for the word that is being typed: the value of a flag or an argument. */
interface Offers {
  readonly at: { readonly flag: string } | { readonly argument: string };
  readonly candidates: readonly Candidate[];
}

function addChoices(completer: Completer, parser: Parser, offers?: Offers): void {
  for (const option of parser.options) {
    const name = option.long?.replace(/^--/, "");
    if (name === undefined || option.hidden) continue;
    const choices = option.argChoices ?? [];
    if (option.required || option.optional) {
      const own = offers !== undefined && "flag" in offers.at && offers.at.flag === option.long;
      completer.option(name, option.description, (complete) => {
        for (const choice of choices) complete(choice, "");
        for (const { value, hint = "" } of own ? offers.candidates : []) complete(value, hint);
      });
    } else completer.option(name, option.description);
  }
  for (const argument of parser.registeredArguments) {
    const choices = argument.argChoices ?? [];
    const own = offers !== undefined && "argument" in offers.at &&
      offers.at.argument === argument.name();
    completer.argument(argument.name(), (complete) => {
      for (const choice of choices) complete(choice, "");
      for (const { value, hint = "" } of own ? offers.candidates : []) complete(value, hint);
    }, argument.variadic);
  }
}

const visible = (entries: readonly CommandEntry[]) =>
  entries.filter((entry) => isGroup(entry) || entry.hidden !== true);

/** The parsed command line to complete. */
interface TypedLine {
  readonly commands: readonly CommandEntry[];
  /** The command named by the words before the last one. */
  readonly asked: CommandLeaf | undefined;
  readonly globalFlags: Parser["options"];
  readonly lookUp: LookUp;
}

interface TypedWords {
  /** Number of arguments between the command and the word that is being typed. */
  readonly args: number;
  /** Long name of the flag whose value is being typed. */
  readonly flag: string | undefined;
  readonly project: string | undefined;
}

/** Parses the words before the last one. The user is still typing the last word. */
function readTyped(
  words: readonly string[],
  asked: CommandLeaf,
  options: Parser["options"],
): TypedWords {
  let [args, isCommandNamed] = [0, false];
  let project: string | undefined;
  const before = words.slice(0, -1);
  for (let index = 0; index < before.length; index++) {
    const word = before[index]!;
    if (!word.startsWith("-")) {
      if (isCommandNamed) args++;
      isCommandNamed ||= word === asked.name || word === aliasOf(asked);
      continue;
    }
    const option = options.find(({ long, short }) => long === word || short === word);
    if (option === undefined || !(option.required || option.optional)) continue;
    index++;
    if (index === before.length) return { args, flag: option.long ?? undefined, project };
    if (option.long === "--project-id") project = before[index];
  }
  return { args, flag: undefined, project };
}

/** Finds out what the user is typing, and looks up matching resources on the platform. */
async function offersFor(
  words: readonly string[],
  line: TypedLine & { readonly asked: CommandLeaf },
  { command, parser }: { readonly command: LoadedCommand; readonly parser: Parser },
): Promise<Offers | undefined> {
  const typed = readTyped(words, line.asked, [...line.globalFlags, ...parser.options]);
  if (typed.flag === undefined && words.at(-1)?.startsWith("-")) return undefined;
  const argument = parser.registeredArguments[typed.args]?.name() ?? "";
  const kind = typed.flag === undefined ? command.offers[argument] : FLAG_KINDS[typed.flag];
  if (kind === undefined) return undefined;
  return {
    at: typed.flag === undefined ? { argument } : { flag: typed.flag },
    candidates: await line.lookUp(kind, typed.project),
  };
}

/** Completes the end of `words` for the shell's script. Loads at most one command. */
export async function complete(words: readonly string[], line: TypedLine): Promise<string> {
  const { commands, asked, globalFlags } = line;
  const { RootCommand } = await import("@bomb.sh/tab");
  const root = new RootCommand();
  const command = asked === undefined ? undefined : (await asked.load()).default;
  const parser = asked && command?.build(asked.name, () => Promise.resolve());
  const offers = asked && command && parser
    ? await offersFor(words, { ...line, asked }, { command, parser })
    : undefined;
  const global = { options: globalFlags, registeredArguments: [] };
  const add = (title: string, entry: CommandEntry): void => {
    const completer = root.command(title, entry.summary);
    addChoices(completer, global, offers);
    if (entry === asked && parser !== undefined) addChoices(completer, parser, offers);
  };
  addChoices(root, global, offers);
  const addAll = (entries: readonly CommandEntry[], above: string): void => {
    for (const entry of visible(entries)) {
      add(`${above}${entry.name}`, entry);
      if (isGroup(entry)) addAll(entry.commands, `${above}${entry.name} `);
    }
  };
  addAll(commands, "");
  return captured(() => root.parse([...words]));
}

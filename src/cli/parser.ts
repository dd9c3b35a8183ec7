/**
 * @module Builds the command-line parser, either for the requested command alone or for the whole
 * tree.
 */
import { Command } from "@commander-js/extra-typings";
import {
  aliasOf,
  type CommandEntry,
  type CommandLeaf,
  isGroup,
  SECTIONS,
} from "./command/command_entry.ts";
import { configureHelp, formatExamples, type Output } from "./command/help.ts";
import type { LoadedCommand, Perform } from "./command/command.ts";
import type { KnownFlag } from "./errors/suggested_commands.ts";
import { DEFAULT_API_URL } from "./session/global_flags.ts";
import { COMMANDS } from "./command_tree.ts";
import { VERSION } from "./version.ts";

interface AskedCommand {
  readonly leaf: CommandLeaf;
  readonly command: LoadedCommand;
}

function buildLeaf(leaf: CommandLeaf, command: LoadedCommand, options: BuildOptions) {
  const built = command.build(leaf.name, options.perform).summary(leaf.summary);
  const description = command.description === undefined ? "" : `\n\n${command.description}`;
  built.description(`${leaf.summary}${description}`);
  built.usage(built.usage().replace("[options]", "[flags]"));
  if (command.common !== undefined && !options.showsAll) hideRare(built, command.common);
  return built.addHelpText("after", formatExamples(command, options.columns));
}

/** Hides flags that few people use. `--help all` still shows them. */
function hideRare(
  built: Command<unknown[], Record<string, unknown>>,
  common: ReadonlySet<string>,
): void {
  for (const option of built.options) {
    if (option.long !== undefined && !common.has(option.long)) option.hideHelp();
  }
  const count = built.options.filter(({ hidden }) => hidden).length;
  built.addHelpText("after", `\n${count} more flags: svc ${built.name()} --help all`);
}

export interface BuildOptions extends Output {
  readonly perform: Perform;
  /** Whether help shows flags that few people use. */
  readonly showsAll?: boolean;
}

/**
 * Returns the entries that a command line can reach: its command and the groups above it, or all
 * entries if it has no command.
 */
function reachable<Entry extends CommandEntry>(
  entries: readonly Entry[],
  asked: AskedCommand | undefined,
): readonly Entry[] {
  if (asked === undefined) return entries;
  return entries.filter((entry) =>
    isGroup(entry) ? reachable(entry.commands, asked).length > 0 : entry === asked.leaf
  );
}

function buildEntry(
  entry: CommandEntry,
  asked: AskedCommand | undefined,
  options: BuildOptions,
): Command<unknown[], Record<string, unknown>> {
  let command: Command<unknown[], Record<string, unknown>>;
  if (isGroup(entry)) {
    command = new Command(entry.name) as unknown as typeof command;
    command.description(entry.summary).usage("<command> [flags]");
    for (const child of reachable(entry.commands, asked)) {
      command.addCommand(buildEntry(child, asked, options));
    }
  } else if (asked?.leaf === entry) {
    command = buildLeaf(entry, asked.command, options);
  } else {
    command = new Command(entry.name).description(entry.summary) as unknown as typeof command;
  }
  const alias = aliasOf(entry);
  if (alias !== undefined) command.alias(alias);
  configureHelp(command, options);
  return command;
}

/** Declares the flags that print the CLI's version. A command can have its own `--version`. */
function versionFlags(asked: AskedCommand | undefined, options: BuildOptions): string {
  const own = asked?.command.build(asked.leaf.name, options.perform).options ?? [];
  return own.some(({ long }) => long === "--version") ? "-v" : "-v, --version";
}

/** Builds the parser for the requested command, or for the whole CLI. */
export function buildProgram(asked: AskedCommand | undefined, options: BuildOptions) {
  const program = new Command("svc")
    .description("Develop, deploy and serve sites: CLI, platform and edge in one program")
    .version(VERSION, versionFlags(asked, options), "print the version")
    .option("--json", "machine-readable output: one JSON object on stdout (SVC_JSON=1)")
    .option("--token <token>", "API key (SVC_TOKEN)")
    .option("--workspace <slug>", "workspace to use (SVC_WORKSPACE)")
    .option("--api-url <url>", `URL of the platform (SVC_API_URL, default ${DEFAULT_API_URL})`)
    .option("--cwd <dir>", "directory to run in (default: the current one)")
    .option("-y, --yes", "answer yes to all confirmations");
  program.usage("<command> [flags]");
  configureHelp(program as unknown as Parameters<typeof configureHelp>[0], options);
  const known = reachable(COMMANDS, asked);
  for (const section of [...SECTIONS, undefined]) {
    for (const entry of known.filter((each) => each.section === section)) {
      const hidden = !isGroup(entry) && entry.hidden === true;
      const command = buildEntry(entry, asked, options);
      if (section !== undefined) command.helpGroup(`${section}:`);
      program.addCommand(command, { hidden });
    }
  }
  return program;
}

/** The flags and arguments that a command accepts. */
interface CommandInputs {
  /** The command's flags, including global flags. */
  readonly flags: readonly KnownFlag[];
  /** Names of the command's arguments. */
  readonly args: readonly string[];
  /** Usage of the command, such as `svc db create [flags]`. */
  readonly usage: string;
}

/** Finds the flags and arguments of the command in a command line. */
export function inputsOf(
  program: ReturnType<typeof buildProgram>,
  argv: readonly string[],
): CommandInputs {
  let command = program as unknown as Command<unknown[], Record<string, unknown>>;
  const options = [...command.options];
  const names = [program.name()];
  for (const word of argv) {
    const next = command.commands.find((child) =>
      child.name() === word || child.aliases().includes(word)
    );
    if (next === undefined) continue;
    command = next as typeof command;
    names.push(command.name());
    options.push(...command.options);
  }
  const flags = options.map(({ long, short, required, optional }) => ({
    long,
    short,
    takesValue: required || optional,
  }));
  return {
    flags,
    args: command.registeredArguments.map((argument) => argument.name()),
    usage: [...names, command.usage()].join(" "),
  };
}

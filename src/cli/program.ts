/** @module Runs one command line: builds the parser, runs the command, and reports the outcome. */
import { CommanderError } from "@commander-js/extra-typings";
import { resolve } from "node:path";
import type { Captured } from "./command/help.ts";
import { type CommandGroup, isGroup } from "./command/command_entry.ts";
import {
  findCommand,
  namedWords,
  resolveNamedInput,
  resolveSwitches,
  withoutHelpFlags,
} from "./command/arguments.ts";
import type { Perform } from "./command/command.ts";
import { type Change, cutShort, interrupted } from "./errors/interrupted.ts";
import { CliError } from "./errors/cli_error.ts";
import { createSuggestedCommands, type SuggestedCommands } from "./errors/suggested_commands.ts";
import { describeError, toHumanError, toJsonError } from "./errors/report_error.ts";
import { explainFileFault } from "./errors/file_fault.ts";
import type { CallCommand, Context, Host } from "./session/context.ts";
import {
  DEFAULT_API_URL,
  type Environment,
  type GlobalFlags,
  wantsJson,
} from "./session/global_flags.ts";
import type { LookUp } from "./session/candidate.ts";
import type { Settings } from "./session/settings.ts";
import { createPalette, wantsColor } from "./terminal/color.ts";
import { createUi, type Ui } from "./terminal/ui.ts";
import { COMMANDS } from "./command_tree.ts";
import { askMissing, missingArgument, withArgument } from "./completion/ask_missing.ts";
import { EXIT } from "./exit_code.ts";
import { buildProgram, inputsOf } from "./parser.ts";
import { VERSION } from "./version.ts";

/** Returns the remedy for a code if it applies to every failure with that code. */
export async function hintOfCode(code: string): Promise<string | undefined> {
  // Successful commands do not need the explanations.
  const { EXPLANATIONS } = await import("./explain/explain_code.ts");
  const explanation = EXPLANATIONS.get(code);
  return explanation?.isHint === true ? explanation.remedy : undefined;
}

/** Information about a run that is needed to report an error. */
interface RunFacts {
  apiUrl: string;
  lines?: SuggestedCommands;
  args: readonly string[];
  usage?: string;
  /** Requests that change something, in order, with their results. */
  readonly changes: Change[];
}

/** Returns the error for a group that was called without one of its commands. */
function missingCommand(argv: readonly string[]): CliError | undefined {
  const group = COMMANDS.find((entry): entry is CommandGroup =>
    isGroup(entry) && argv.includes(entry.name)
  );
  if (group === undefined) return undefined;
  const names = group.commands.map(({ name }) => name);
  return new CliError("usage", `svc ${group.name} needs a command: ${names.join(", ")}`, {
    hint: `See svc ${group.name} --help`,
  });
}

/**
 * Returns help as data: for one command, for the commands of a group, or for all commands with the
 * global flags.
 */
async function helpAsData(argv: readonly string[]): Promise<Record<string, unknown>> {
  const { describeCommands, describeGlobalFlags } = await import("./describe_commands.ts");
  const words = namedWords(argv, COMMANDS);
  const commands = await describeCommands(words);
  return { ...words.length === 0 ? { flags: describeGlobalFlags() } : {}, commands };
}

/**
 * Prints help or the version, which the parser reports as errors. Returns false for other errors.
 * Throws an error for a group without a command, for which the parser also prints help.
 */
async function answerParserExit(
  error: CommanderError,
  run: { readonly argv: readonly string[]; readonly captured: Captured; readonly ui: Ui },
): Promise<boolean> {
  const text = run.captured.text.trimEnd();
  if (error.code === "commander.version") {
    run.ui.result({ version: VERSION }, VERSION);
    return true;
  }
  if (error.code === "commander.helpDisplayed" || error.code === "commander.help") {
    const missing = error.exitCode === 0 ? undefined : missingCommand(run.argv);
    if (missing !== undefined) throw missing;
    run.ui.result({ help: text, ...run.ui.json ? await helpAsData(run.argv) : {} }, text);
    return true;
  }
  return false;
}

/** Completes the last of `words`. Loads the completion code and at most one command. */
async function completeWords(
  words: readonly string[],
  lookUp: LookUp,
): Promise<string> {
  const program = buildProgram(undefined, {
    perform: () => Promise.resolve(),
    captured: { text: "" },
  });
  const { complete } = await import("./completion/complete.ts");
  return await complete(words, {
    commands: COMMANDS,
    asked: findCommand(words, COMMANDS).leaf,
    globalFlags: program.options,
    lookUp,
  });
}

/** Returns the variables that have the same meaning as the flags of a run. */
const settingVariables = ({ token, workspace, apiUrl }: Settings): Environment => ({
  ...token === undefined ? {} : { SVC_TOKEN: token },
  ...workspace === undefined ? {} : { SVC_WORKSPACE: workspace },
  ...apiUrl === undefined ? {} : { SVC_API_URL: apiUrl },
});

/** Runs command lines for a command, each as if it had been typed with `--json`. */
function createCall(host: Host, settings: Settings): CallCommand {
  return async (words, { cwd = host.cwd, stdin = "" } = {}) => {
    let output = "";
    const exitCode = await runProgram(["--json", ...words], {
      ...host,
      cwd,
      env: { ...host.env, ...settingVariables(settings) },
      stdinIsTerminal: false,
      stdin: () => new Blob([stdin]).stream(),
      stdout: {
        isTerminal: false,
        write: (data) =>
          void (output += typeof data === "string" ? data : new TextDecoder().decode(data)),
      },
      stderr: { isTerminal: false, write: () => {} },
      onSecondStop: () => {},
    });
    return { exitCode, answer: JSON.parse(output) };
  };
}

/** Returns the host with the directory that `--cwd` names as the current directory. */
async function inDirectory(host: Host, given: string | undefined): Promise<Host> {
  if (given === undefined) return host;
  const cwd = resolve(host.cwd, given);
  const found = await Deno.stat(cwd).catch(() => undefined);
  if (found?.isDirectory === true) return { ...host, cwd };
  const state = found === undefined ? "does not exist" : "is not a directory";
  throw new CliError("usage", `Cannot use --cwd ${cwd}: it ${state}`);
}

type Parser = ReturnType<typeof buildProgram>;

/** Converts a command line to the form that the parser expects. */
function prepare(typed: readonly string[], parser: Parser): readonly string[] {
  const { isUnknown, argv } = findCommand(typed, COMMANDS);
  if (isUnknown) return withoutHelpFlags(argv);
  const inputs = inputsOf(parser, argv);
  const named = { ...inputs, path: namedWords(argv, COMMANDS) };
  return resolveSwitches(resolveNamedInput(argv, named), inputs.flags);
}

async function parseAndRun(
  typed: readonly string[],
  host: Host,
  ui: Ui,
  run: RunFacts,
): Promise<number> {
  const { leaf } = findCommand(typed, COMMANDS);
  if (leaf !== undefined && leaf.serves !== true) {
    const { interpretSchemas } = await import("./host/interpret_schemas.ts");
    interpretSchemas();
  }
  const asked = leaf === undefined ? undefined : { leaf, command: (await leaf.load()).default };
  const columns = host.stdout.isTerminal ? host.stdout.columns?.() : undefined;
  for (let words = typed;;) {
    let exitCode: number = EXIT.success;
    const captured: Captured = { text: "" };
    const perform: Perform = async (work) => {
      exitCode = await work(await openContext()) ?? exitCode;
    };
    const showsAll = words.includes("all");
    const program = buildProgram(asked, { perform, captured, columns, showsAll });
    const argv = prepare(words, program);
    const inputs = inputsOf(program, argv);
    run.usage = inputs.usage;
    const openContext = async (): Promise<Context> => {
      const lines = createSuggestedCommands(argv, inputs.flags);
      [run.lines, run.args] = [lines, inputs.args];
      const { createContext } = await import("./session/context.ts");
      const { resolveSettings } = await import("./session/settings.ts");
      const settings = resolveSettings(program.opts() satisfies GlobalFlags, host.env);
      const here = await inDirectory(host, settings.cwd);
      const ctx = await createContext({
        host: here,
        settings,
        ui,
        lines,
        complete: completeWords,
        call: createCall(here, settings),
        watchChange: (call) => {
          const index = run.changes.push({ ...call, outcome: "pending" }) - 1;
          return (outcome) => void (run.changes[index] = { ...call, outcome });
        },
      });
      run.apiUrl = ctx.apiUrl;
      return ctx;
    };
    try {
      await program.parseAsync([...argv], { from: "user" });
      return exitCode;
    } catch (error) {
      if (
        error instanceof CommanderError && await answerParserExit(error, { argv, captured, ui })
      ) {
        return EXIT.success;
      }
      const missing = missingArgument(error);
      if (missing === undefined || asked === undefined) throw error;
      const answer = await askMissing(await openContext(), asked.command, missing);
      if (answer === undefined) throw error;
      words = withArgument(words, answer);
    }
  }
}

/** Removes the word `help`: `svc help deploy` prints the same as `svc deploy --help`. */
function withoutHelpWord(argv: readonly string[]): readonly string[] {
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

/**
 * Runs the CLI with the arguments after its name and returns the exit code: 0 for success, 1 for a
 * failure, 2 for wrong usage, 130 for an interruption, or the exit code of the command. Never
 * throws.
 */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  const json = wantsJson(argv, host.env);
  const { env, stdout, stderr } = host;
  const ui = createUi({
    json,
    stdout,
    stderr,
    colors: createPalette(wantsColor(env, stderr.isTerminal)),
    dataColors: createPalette(wantsColor(env, stdout.isTerminal)),
    now: host.now,
  });
  const run: RunFacts = { apiUrl: DEFAULT_API_URL, args: [], changes: [] };
  host.onSecondStop(() => {
    const report = describeError(cutShort(run.changes, run.lines), run);
    if (!json) stderr.write(`${toHumanError(report, ui.colors)}\n`);
    else if (!ui.answered) stdout.write(`${JSON.stringify(toJsonError(report))}\n`);
  });
  try {
    const exitCode = await parseAndRun(withoutHelpWord(argv), host, ui, run);
    const isLate = host.signal.aborted && run.changes.some(({ outcome }) => outcome === "done");
    if (!isLate || exitCode !== EXIT.success) return exitCode;
    ui.log("deploy", "warn", "Interrupted too late: the command had already completed");
    return EXIT.interrupted;
  } catch (thrown) {
    const isStopped = host.signal.aborted && !(thrown instanceof CliError);
    const report = describeError(
      isStopped ? interrupted(run.changes, run.lines) : explainFileFault(thrown),
      run,
    );
    const usual = await hintOfCode(report.code);
    if (!json) {
      // People do not see a hint that always applies to a code, because `svc explain` shows it.
      const { hint, ...rest } = report;
      stderr.write(`${toHumanError(hint === usual ? rest : report, ui.colors)}\n`);
    } else if (!ui.answered) {
      const hint = report.hint ?? usual;
      stdout.write(`${JSON.stringify(toJsonError({ ...report, hint }))}\n`);
    } else ui.log("deploy", "error", report.message);
    return report.exitCode;
  }
}

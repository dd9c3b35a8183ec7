/** @module The layout of `--help`, and where the text is written. */
import { type Command, Help } from "@commander-js/extra-typings";
import type { LoadedCommand } from "./command.ts";

export interface Captured {
  /** Text of `--help` or `--version`. */
  text: string;
}

/** The stream for help, and the maximum width of help. */
export interface Output {
  readonly captured: Captured;
  /** Columns of the terminal, or `undefined` if there is no terminal. */
  readonly columns?: number | undefined;
}

const GLOBAL_FLAGS_HELP = "Global flags:";

/** Maximum width of help. Longer lines are hard to read. */
const MAX_HELP_WIDTH = 100;
/** Minimum width at which text is wrapped. */
const MIN_WRAP_WIDTH = 20;
/** Minimum width for two columns. Below this width, each description is placed under its term. */
const TWO_COLUMNS_FROM = 60;

/**
 * Formats a term and its description in help side by side, or one below the other on narrow
 * terminals.
 */
function formatItem(term: string, termWidth: number, meaning: string, helper: Help): string {
  const width = helper.helpWidth ?? MAX_HELP_WIDTH;
  if (width >= TWO_COLUMNS_FROM) {
    return Help.prototype.formatItem.call(helper, term, termWidth, meaning, helper);
  }
  const lines = helper.boxWrap(meaning, width - 6).split("\n");
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join("\n");
}

/**
 * Prevents the parser from exiting and from writing output: help is captured, and errors
 * are thrown.
 */
export function configureHelp(
  command: Command<unknown[], Record<string, unknown>>,
  { captured, columns = MAX_HELP_WIDTH }: Output,
): void {
  command
    .exitOverride()
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: MIN_WRAP_WIDTH,
      helpWidth: Math.min(MAX_HELP_WIDTH, columns),
      styleTitle: titleOf,
      subcommandTerm: (subcommand) => [subcommand.name(), ...subcommand.aliases()].join(", "),
      formatItem,
    })
    .configureOutput({
      writeOut: (text) => captured.text += text,
      writeErr: (text) => captured.text += text,
      outputError: () => {},
    });
}

function titleOf(title: string): string {
  return title === "Global Options:" ? GLOBAL_FLAGS_HELP : title.replace("Options:", "Flags:");
}

function wrapText(text: string, width: number): string {
  const room = Math.max(MIN_WRAP_WIDTH, width);
  return text.replace(new RegExp(`(.{1,${room}})(?:\\s+|$)`, "g"), "$1\n").trimEnd();
}

/** Formats a command's examples for help. */
export function formatExamples(command: LoadedCommand, columns = MAX_HELP_WIDTH): string {
  const width = Math.max(...command.examples.map(([line]) => line.length));
  const lines = command.examples.map(([line, meaning]) =>
    columns < TWO_COLUMNS_FROM
      ? `  svc ${line}\n${wrapText(meaning, columns - 6).replace(/^/gm, "      ")}`
      : `  svc ${line.padEnd(width)}  ${meaning}`.trimEnd()
  );
  return `\nExamples:\n${lines.join("\n")}`;
}

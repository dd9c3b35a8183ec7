/** @module Layout and destination of `--help`. */
import { type Command, Help } from "@commander-js/extra-typings";
import type { LoadedCommand } from "./command.ts";

export interface Captured {
  /** Text of `--help` or `--version`. */
  text: string;
}

/** The destination of help, and its maximum width. */
export interface Output {
  readonly captured: Captured;
  /** Columns of the terminal; `undefined` if there is none. */
  readonly columns?: number | undefined;
}

const GLOBAL_FLAGS_HELP = "Global flags:";

/** Widest help; wider lines are hard to read. */
const MAX_HELP_WIDTH = 100;
/** Narrower text is not wrapped. */
const MIN_WRAP_WIDTH = 20;
/** Below this width, each description is under its term. */
const TWO_COLUMNS_FROM = 60;

/** A term of help and its meaning: side by side, or below each other on narrow terminals. */
function formatItem(term: string, termWidth: number, meaning: string, helper: Help): string {
  const width = helper.helpWidth ?? MAX_HELP_WIDTH;
  if (width >= TWO_COLUMNS_FROM) {
    return Help.prototype.formatItem.call(helper, term, termWidth, meaning, helper);
  }
  const lines = helper.boxWrap(meaning, width - 6).split("\n");
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join("\n");
}

/** Keeps a parser from ending the process and from writing: help is captured, errors are thrown. */
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

/** The examples of a command as help shows them. */
export function formatExamples(command: LoadedCommand, columns = MAX_HELP_WIDTH): string {
  const width = Math.max(...command.examples.map(([line]) => line.length));
  const lines = command.examples.map(([line, meaning]) =>
    columns < TWO_COLUMNS_FROM
      ? `  svc ${line}\n${wrapText(meaning, columns - 6).replace(/^/gm, "      ")}`
      : `  svc ${line.padEnd(width)}  ${meaning}`.trimEnd()
  );
  return `\nExamples:\n${lines.join("\n")}`;
}

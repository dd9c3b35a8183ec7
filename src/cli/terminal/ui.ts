/**
 * The output of a command. For people: coloured text on stderr, data on stdout.
 * In JSON mode: exactly one object on stdout, log lines on stderr, one object
 * each (spec: "JSON output").
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { Palette } from "./color.ts";
import { createProgress, type Progress } from "./progress.ts";
import { formatTable } from "./table.ts";
import type { Writer } from "./writer.ts";

/** Phases of a log line; the spec knows no others. */
export const PHASES = [
  "auth",
  "build",
  "db",
  "deploy",
  "detect",
  "domains",
  "env",
  "init",
  "install",
  "link",
  "projects",
  "rollback",
  "workspace",
] as const;
export type Phase = (typeof PHASES)[number];
export type Level = "info" | "warn" | "error";

export interface Ui {
  readonly json: boolean;
  /** Colours of stderr. */
  readonly colors: Palette;
  /** Colours of stdout. */
  readonly dataColors: Palette;
  readonly stderr: Writer;
  /** Reports the progress of the command. */
  log(phase: Phase, level: Level, message: string): void;
  /** As `log` at level info, with a tick for people. */
  done(phase: Phase, message: string): void;
  /** Internal output: a log line in JSON mode, nothing for people. */
  debug(phase: Phase, message: string): void;
  /** Text for people only, on stderr as it is. */
  note(text: string): void;
  /** The command's result, once: the object in JSON mode, else `text` on stdout. */
  result(json: Readonly<Record<string, unknown>>, text: string): void;
  /** A table that fits the terminal to which the result goes. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): string;
  /** One item of an endless result: an object per line in JSON mode, else a line of text. */
  item(json: Readonly<Record<string, unknown>>, text: string): void;
  progress(phase: Phase, options: { label: string; files: number; bytes: number }): Progress;
  /** True once a result or an item was written. */
  readonly answered: boolean;
}

export interface UiOptions {
  readonly json: boolean;
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly colors: Palette;
  readonly dataColors: Palette;
  readonly now: Clock;
}

/** Makes the user interface of one run. */
export function createUi(options: UiOptions): Ui {
  const { json, stdout, stderr, colors, now } = options;
  let results = 0;
  let items = 0;

  const line = (stream: "user" | "debug", phase: Phase, level: Level, message: string) =>
    stderr.write(`${JSON.stringify({ s: stream, p: phase, l: level, m: message })}\n`);

  const marks: Record<Level, string> = {
    info: colors.cyan("•"),
    warn: colors.yellow("warning:"),
    error: colors.red("error:"),
  };

  const log = (phase: Phase, level: Level, message: string): void => {
    if (json) line("user", phase, level, message);
    else stderr.write(`${marks[level]} ${message}\n`);
  };

  return {
    json,
    colors,
    dataColors: options.dataColors,
    stderr,
    log,
    done(phase, message) {
      if (json) line("user", phase, "info", message);
      else stderr.write(`${colors.green("✓")} ${message}\n`);
    },
    debug(phase, message) {
      if (json) line("debug", phase, "info", message);
    },
    note(text) {
      if (!json) stderr.write(`${text}\n`);
    },
    result(value, text) {
      results++;
      if (results > 1) throw new TypeError("Write one result: the command wrote a second");
      if ("error" in value) {
        throw new TypeError("Name it otherwise: `error` is the key of failures");
      }
      if (json) stdout.write(`${JSON.stringify(value)}\n`);
      else if (text !== "") stdout.write(`${text}\n`);
    },
    table: (headings, rows) =>
      formatTable(headings, rows, stdout.isTerminal ? stdout.columns?.() : undefined),
    item(value, text) {
      items++;
      stdout.write(`${json ? JSON.stringify(value) : text}\n`);
    },
    progress(phase, { label, files, bytes }) {
      return createProgress({
        label,
        files,
        bytes,
        now,
        colors,
        stderr,
        live: !json && stderr.isTerminal,
        say: (message) => log(phase, "info", message),
      });
    },
    get answered() {
      return results + items > 0;
    },
  };
}

/**
 * @module The output of a command. For people: colored text on stderr, data on stdout. In JSON
 * mode: exactly one object on stdout, and one object per log line on stderr.
 */
import type { Clock } from "../../lib/clock.ts";
import { printable } from "../../lib/format.ts";
import type { Palette } from "./color.ts";
import { createProgress, type Progress } from "./progress.ts";
import { formatTable } from "./table.ts";
import type { Writer } from "./writer.ts";

/** Phases of a log line. Scripts parse them, so this list is fixed. */
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
  /** Colors of stderr. */
  readonly colors: Palette;
  /** Colors of stdout. */
  readonly dataColors: Palette;
  readonly stderr: Writer;
  /** Reports the progress of the command. */
  log(phase: Phase, level: Level, message: string): void;
  /** Like `log` at level info. In text mode, the line starts with a check mark. */
  done(phase: Phase, message: string): void;
  /** Writes internal output: a log line in JSON mode, nothing in text mode. */
  debug(phase: Phase, message: string): void;
  /** Writes text to stderr unchanged. In JSON mode, writes nothing. */
  note(text: string): void;
  /** Writes the command's single result: the object in JSON mode, otherwise `text` on stdout. */
  result(json: Readonly<Record<string, unknown>>, text: string): void;
  /**
   * Writes the command's result as bytes. On a terminal, control characters are escaped. Elsewhere,
   * the bytes are unchanged.
   */
  bytes(json: Readonly<Record<string, unknown>>, bytes: Uint8Array): void;
  /**
   * Writes the command's result as a list whose items are written as they arrive: one line for each
   * item or, in JSON mode, one object with an `items` array. Resolves with the number of items.
   */
  items<Item>(items: AsyncIterable<Item>, as: ItemFormat<Item>): Promise<number>;
  /**
   * Formats a table that fits the result's terminal. Returns an empty string if there are no rows.
   */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): string;
  /** True if the result goes to a terminal. */
  readonly showsOnTerminal: boolean;
  /**
   * Returns the width of the terminal in columns, or `undefined` if there is no terminal or its
   * size is unknown.
   */
  width(): number | undefined;
  /** Writes a raw part of a result that is too large for memory. Use it instead of `result`. */
  data(text: string): void;
  /**
   * Writes one item of an endless result: one object per line in JSON mode, otherwise a line of
   * text.
   */
  item(json: Readonly<Record<string, unknown>>, text: string): void;
  progress(phase: Phase, options: { label: string; files: number; bytes: number }): Progress;
  /** True once a result or an item has been written. */
  readonly answered: boolean;
}

/** How to write an item in JSON mode and in text mode. */
interface ItemFormat<Item> {
  readonly json: (item: Item) => Readonly<Record<string, unknown>>;
  readonly text: (item: Item) => string;
}

interface UiOptions {
  readonly json: boolean;
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly colors: Palette;
  readonly dataColors: Palette;
  readonly now: Clock;
}

/** Creates the user interface for one run. */
export function createUi(options: UiOptions): Ui {
  const { json, stdout, stderr, colors, now } = options;
  let results = 0;
  let items = 0;

  const line = (stream: "user" | "debug", phase: Phase, level: Level, message: string) =>
    stderr.write(`${JSON.stringify({ s: stream, p: phase, l: level, m: message })}\n`);

  const width = () => stdout.isTerminal ? stdout.columns?.() : undefined;

  const marks: Record<Level, string> = {
    info: colors.cyan("•"),
    warn: colors.yellow("warning:"),
    error: colors.red("error:"),
  };

  const log = (phase: Phase, level: Level, message: string): void => {
    if (json) line("user", phase, level, message);
    else stderr.write(`${marks[level]} ${message}\n`);
  };

  /** Counts results, because a command can have only one. */
  const beginResult = (value: Readonly<Record<string, unknown>>): void => {
    results++;
    if (results > 1) throw new TypeError("Write one result: the command wrote a second one");
    if ("error" in value) throw new TypeError("Rename it: `error` is the key of failures");
  };

  const writeItems = async <Item>(
    all: AsyncIterable<Item>,
    as: ItemFormat<Item>,
  ): Promise<number> => {
    let count = 0;
    for await (const item of all) {
      if (count++ === 0) beginResult({});
      if (!json) stdout.write(`${as.text(item)}\n`);
      else stdout.write(`${count === 1 ? '{"items":[' : ","}${JSON.stringify(as.json(item))}`);
    }
    if (count === 0) beginResult({});
    if (json) stdout.write(count === 0 ? '{"items":[]}\n' : "]}\n");
    return count;
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
      beginResult(value);
      if (json) stdout.write(`${JSON.stringify(value)}\n`);
      else if (text !== "") stdout.write(`${text}\n`);
    },
    bytes(value, bytes) {
      beginResult(value);
      if (json) stdout.write(`${JSON.stringify(value)}\n`);
      else if (!stdout.isTerminal) stdout.write(bytes);
      else stdout.write(`${printable(new TextDecoder().decode(bytes)).replace(/\n$/, "")}\n`);
    },
    items: writeItems,
    table: (headings, rows) => rows.length === 0 ? "" : formatTable(headings, rows, width()),
    showsOnTerminal: stdout.isTerminal,
    width,
    data(text) {
      items++;
      stdout.write(text);
    },
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

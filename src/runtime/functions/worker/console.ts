/** @module A function's `console`, which writes log lines that are limited in size and rate. */
import { type LogLevel, MAX_LOG_CHARACTERS } from "../../process/frames/log_lines.ts";
import type { LogHead } from "../wire.ts";

/** Maximum number of log lines from a worker: per second, and in a burst. */
const LINES_PER_SECOND = 100;
const LINES_AT_ONCE = 200;

const inspect = Deno.inspect;

const INSPECT_OPTIONS: Deno.InspectOptions = {
  depth: 4,
  iterableLimit: 50,
  strAbbreviateSize: 1000,
  colors: false,
  getters: false,
};

function render(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return inspect(value, INSPECT_OPTIONS);
  } catch {
    return "[value that cannot be shown]";
  }
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  debug: "debug",
  trace: "debug",
  log: "info",
  info: "info",
  dir: "info",
  table: "info",
  group: "info",
  warn: "warn",
  error: "error",
};

const SILENT = [
  "assert",
  "clear",
  "count",
  "countReset",
  "dirxml",
  "groupCollapsed",
  "groupEnd",
  "profile",
  "profileEnd",
  "time",
  "timeEnd",
  "timeLog",
  "timeStamp",
];

/** Accepts lines while tokens remain. Tokens are refilled over time. */
class LineBudget {
  #tokens = LINES_AT_ONCE;
  #last = performance.now();
  #dropped = 0;
  readonly #now = performance.now.bind(performance);

  /**
   * Returns the number of lines dropped since the last accepted line, or `undefined` to drop this
   * line.
   */
  take(): number | undefined {
    const now = this.#now();
    const earned = (now - this.#last) / 1000 * LINES_PER_SECOND;
    this.#tokens = Math.min(LINES_AT_ONCE, this.#tokens + earned);
    this.#last = now;
    if (this.#tokens < 1) {
      this.#dropped++;
      return undefined;
    }
    this.#tokens--;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}

export function makeConsole(log: (entry: LogHead) => void): Readonly<Record<string, unknown>> {
  const budget = new LineBudget();
  const write = (level: LogLevel, values: readonly unknown[]): void => {
    const dropped = budget.take();
    if (dropped === undefined) return;
    if (dropped > 0) {
      const lines = dropped === 1 ? "1 earlier line was" : `${dropped} earlier lines were`;
      log({ level: "warn", message: `${lines} dropped` });
    }
    let message = "";
    for (const value of values) {
      message += message === "" ? render(value) : ` ${render(value)}`;
      if (message.length > MAX_LOG_CHARACTERS) break;
    }
    log({ level, message: message.slice(0, MAX_LOG_CHARACTERS) });
  };
  const made: Record<string, unknown> = {};
  for (const [method, level] of Object.entries(LEVELS)) {
    made[method] = (...values: unknown[]) => write(level, values);
  }
  for (const method of SILENT) made[method] = () => {};
  return made;
}

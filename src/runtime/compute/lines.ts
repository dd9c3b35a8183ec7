/** @module Output of project code as log lines of bounded length. */
import { type LogLevel, MAX_LOG_CHARACTERS } from "../process/frames/log_lines.ts";

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Shortens text to the maximum length of a log entry, without splitting a character. */
export function truncate(text: string): string {
  return text.length <= MAX_LOG_CHARACTERS
    ? text
    : `${text.slice(0, MAX_LOG_CHARACTERS - 1).replace(HIGH_SURROGATE, "")}…`;
}

/** Returns an error's first line, which contains its message. The other lines are the stack. */
export const firstLine = (text: string): string => text.split("\n", 1)[0]!;

/** Splits output into lines. An overlong line is passed on in parts. */
export class LineSplitter {
  #kept = "";
  readonly #decoder = new TextDecoder();

  readonly #take: (line: string) => void;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  write(chunk: string | Uint8Array): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
    const lines = (this.#kept + text).split("\n");
    this.#kept = lines.pop()!;
    for (const line of lines) this.#give(line);
    while (this.#kept.length > MAX_LOG_CHARACTERS) {
      this.#give(this.#kept.slice(0, MAX_LOG_CHARACTERS));
      this.#kept = this.#kept.slice(MAX_LOG_CHARACTERS);
    }
  }

  /** Passes on the last line, which has no line ending. */
  end(): void {
    if (this.#kept !== "") this.#give(this.#kept);
    this.#kept = "";
  }

  #give(line: string): void {
    if (line.trim() !== "") this.#take(truncate(line.replace(/\r$/, "")));
  }
}

/** Returns the level of a line from a runtime whose servers write errors to standard error. */
export const levelOfStream = (stream: "stdout" | "stderr"): LogLevel =>
  stream === "stdout" ? "info" : "error";

/** Names of log levels in the loggers of all languages. The name of an error's type also counts. */
const LEVELS: readonly (readonly [RegExp, LogLevel])[] = [
  [/\b(?:fatal|panic|critical|error|traceback|exception)\b|\b\w*(?:Error|Exception)\b:/i, "error"],
  [/\bwarn(?:ing)?\b/i, "warn"],
  [/\bdebug\b/i, "debug"],
];

/**
 * Guesses the level of a line from its words, because most programs write their whole log to
 * stderr.
 */
export function levelOfLine(_stream: "stdout" | "stderr", line: string): LogLevel {
  const start = line.slice(0, 200);
  return LEVELS.find(([words]) => words.test(start))?.[1] ?? "info";
}

/** @module Converts the output of a server's `console` and streams to log lines. */
import process from "node:process";
import { currentRequest } from "../../compute/engine/request_scope.ts";
import { LineSplitter } from "../../compute/lines.ts";
import type { ProcessLog } from "../../compute/wire.ts";

type Level = ProcessLog["level"];

interface OutputOptions {
  /** Receives a log line. */
  readonly log: (entry: ProcessLog) => void;
  /** Prepares a message for the log: shortens it, and shows paths as the author knows them. */
  readonly describe: (message: string) => string;
}

/** The methods of `console` that write output, with their log levels. */
const LEVELS: Readonly<Record<string, Level>> = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
  trace: "error",
  assert: "warn",
  dir: "info",
  dirxml: "info",
  table: "info",
  group: "info",
  groupCollapsed: "info",
  count: "info",
  countReset: "warn",
  time: "warn",
  timeEnd: "info",
  timeLog: "info",
};

type WriteCallback = (error?: Error | null) => void;
type ConsoleMethod = (this: unknown, ...args: unknown[]) => unknown;

class Output {
  /** The output of the active `console` call. */
  #message: string | undefined;

  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  log(level: Level, message: string): void {
    const requestId = currentRequest();
    this.#options.log({ level, message, requestId });
  }

  /** Turns each `console` call into one log entry with its level. */
  replaceConsole(): void {
    const methods = console as unknown as Record<string, ConsoleMethod | undefined>;
    for (const [name, level] of Object.entries(LEVELS)) {
      const original = methods[name];
      if (original === undefined) continue;
      const call = (args: unknown[]): unknown =>
        this.#collect(level, () => original.apply(console, args));
      const replaced = { [name]: (...args: unknown[]) => call(args) }[name]!;
      methods[name] = replaced;
    }
  }

  #collect(level: Level, write: () => unknown): unknown {
    if (this.#message !== undefined) return write();
    this.#message = "";
    try {
      return write();
    } finally {
      const message = this.#message;
      this.#message = undefined;
      if (message !== "") this.log(level, this.#options.describe(message.replace(/\n$/, "")));
    }
  }

  /** Captures writes to a stream of the process, starting when the stream is first used. */
  replaceStream(name: "stdout" | "stderr", level: Level): void {
    const { get } = Object.getOwnPropertyDescriptor(process, name) ?? {};
    if (get === undefined) return;
    let stream: NodeJS.WriteStream | undefined;
    Object.defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get: () => stream ??= this.#replaceWrite(get.call(process), level),
    });
  }

  #replaceWrite(stream: NodeJS.WriteStream, level: Level): NodeJS.WriteStream {
    const lines = new LineSplitter((line) => this.log(level, line));
    const write = (
      chunk: string | Uint8Array,
      encoding?: unknown,
      callback?: WriteCallback,
    ): boolean => {
      if (this.#message !== undefined && typeof chunk === "string") this.#message += chunk;
      else lines.write(chunk);
      const done = typeof encoding === "function" ? encoding as WriteCallback : callback;
      if (done !== undefined) queueMicrotask(() => done());
      return true;
    };
    Reflect.set(stream, "write", write);
    return stream;
  }
}

/** Turns `console`, `process.stdout` and `process.stderr` into log lines. */
export function captureOutput(options: OutputOptions): void {
  const output = new Output(options);
  output.replaceStream("stdout", "info");
  output.replaceStream("stderr", "error");
  output.replaceConsole();
}

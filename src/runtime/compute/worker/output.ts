/** @module Converts output from a server's `console` and streams to log lines. */
import { currentRequest } from "../engine/request_scope.ts";
import { LineSplitter } from "../lines.ts";
import type { ProcessLog } from "../wire.ts";
import { describeText } from "./describe_error.ts";
import type { Send } from "./messages.ts";

type Level = ProcessLog["level"];

/** The levels of Deno's console, by number. */
const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

type Print = (message: string, level: number) => void;
type ConsoleClass = new (print: Print) => Record<string, unknown>;

function replaceConsole(print: Print): void {
  const internals = Reflect.get(Deno, Reflect.get(Deno, "internal")) as { Console: ConsoleClass };
  const made = new internals.Console(print);
  for (const name of Object.keys(made)) {
    if (typeof made[name] === "function") Reflect.set(console, name, made[name]);
  }
}

type WriteCallback = (error?: Error | null) => void;

/** Turns `console`, `process.stdout` and `Deno.stdout` into log lines. */
export function captureOutput(send: Send, directory: string): void {
  const log = (level: Level, message: string): void => {
    const requestId = currentRequest();
    send({ type: "log", level, message, requestId });
  };
  replaceConsole((message, level) =>
    log(LEVELS[level] ?? "info", describeText(message.replace(/\n$/, ""), directory))
  );
  for (const [name, level] of [["stdout", "info"], ["stderr", "error"]] as const) {
    const lines = new LineSplitter((line) => log(level, line));
    const write = (
      chunk: string | Uint8Array,
      encoding?: unknown,
      callback?: WriteCallback,
    ): boolean => {
      lines.write(chunk);
      const done = typeof encoding === "function" ? encoding as WriteCallback : callback;
      if (done !== undefined) queueMicrotask(() => done());
      return true;
    };
    Reflect.set(process[name], "write", write);
    const writeSync = (bytes: Uint8Array): number => {
      lines.write(bytes);
      return bytes.byteLength;
    };
    Object.defineProperties(Deno[name], {
      writeSync: { value: writeSync, configurable: true },
      write: {
        value: (bytes: Uint8Array) => Promise.resolve(writeSync(bytes)),
        configurable: true,
      },
    });
  }
}

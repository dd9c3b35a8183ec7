/** @module Describes errors from project code as plain text, for any thrown value. */
import { MAX_LOG_CHARACTERS } from "../../process/frames/log_lines.ts";
import { MAX_STACK_CHARACTERS, type WireError } from "../wire.ts";

/** The name of the function's module in stack frames. */
const MODULE_NAME = "data:text/javascript";

function readText(value: object, key: string): string | undefined {
  try {
    const text = Reflect.get(value, key);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

let moduleUrl: string | undefined;

/**
 * Sets the URL of the function's module, which contains its whole source. Older runtimes write the
 * URL into every frame of a stack.
 */
export function nameModule(url: string): void {
  moduleUrl = url;
}

function shorten(stack: string): string {
  const short = moduleUrl === undefined ? stack : stack.replaceAll(moduleUrl, MODULE_NAME);
  return short.slice(0, MAX_STACK_CHARACTERS);
}

/** Describes a thrown value as an error. Never throws. */
export function describeError(thrown: unknown): WireError {
  if (typeof thrown !== "object" && typeof thrown !== "function" || thrown === null) {
    return { message: `Uncaught ${typeof thrown}: ${String(thrown)}`.slice(0, MAX_LOG_CHARACTERS) };
  }
  const name = readText(thrown, "name");
  const text = readText(thrown, "message") ?? "The function threw an object that is not an error";
  const message = name === undefined || text.startsWith(name) ? text : `${name}: ${text}`;
  const stack = readText(thrown, "stack");
  return {
    message: message.slice(0, MAX_LOG_CHARACTERS),
    ...(stack === undefined ? {} : { stack: shorten(stack) }),
  };
}

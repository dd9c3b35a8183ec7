/** @module Asks for text, which can span several lines. */
import { printable } from "../terminal/format.ts";
import type { Writer } from "../terminal/writer.ts";
import { type Keyboard, Keys, MARK_PASTES, UNMARK_PASTES } from "./keys.ts";

export interface ValueQuestion {
  readonly message: string;
  /** True to show the text while it is being typed. */
  readonly isShown: boolean;
}

/** Returns the text to show for typed characters on a terminal that does not echo. */
function echo(text: string): string {
  // deno-lint-ignore no-control-regex -- matches the marks around pasted text
  const typed = text.replace(/\x1b\[20[01]~/g, "");
  return typed.split(/\r\n|[\r\n]/).map((line) =>
    line.split(/([\b\x7f])/).map((part) => /^[\b\x7f]$/.test(part) ? "\b \b" : printable(part))
      .join("")
  ).join("\r\n");
}

/** Asks on `output` and reads the value from `keyboard`, until `signal` is aborted. */
export async function askValue(
  { keyboard, output, signal, keys = new Keys(keyboard, signal) }: {
    readonly keyboard: Keyboard;
    readonly output: Writer;
    readonly signal: AbortSignal;
    readonly keys?: Keys;
  },
  { message, isShown }: ValueQuestion,
): Promise<string> {
  // Raw mode starts before the question appears, because early input must not be echoed either.
  keyboard.setRaw(true);
  try {
    output.write(`${MARK_PASTES}${message}${isShown ? "" : " (hidden)"}: `);
    const value = await keys.value((text) => {
      if (isShown) output.write(echo(text));
    });
    const lines = value.split("\n").length;
    if (lines > 1) output.write(`${isShown ? "\r\n" : ""}${lines} lines`);
    return value;
  } finally {
    output.write(UNMARK_PASTES);
    keyboard.setRaw(false);
    output.write("\n");
  }
}

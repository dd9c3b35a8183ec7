/** @module Splits a command's output into lines. */
import type { OutputSink } from "./types.ts";

/** Maximum length of a line, in characters. */
const MAX_LINE = 4096;

/** Passes complete, non-empty lines to `say`. Splits an unfinished line at 4096 characters. */
export function createLineSink(say: (line: string) => void): OutputSink {
  let rest = "";
  return {
    write(chunk) {
      const lines = (rest + chunk).split(/\r\n|[\n\r]/);
      rest = lines.pop() ?? "";
      while (rest.length > MAX_LINE) {
        lines.push(rest.slice(0, MAX_LINE));
        rest = rest.slice(MAX_LINE);
      }
      for (const line of lines) if (line !== "") say(line);
    },
    end() {
      if (rest !== "") say(rest);
      rest = "";
    },
  };
}

/** @module Splits a command's output into lines. */
import type { OutputSink } from "./types.ts";

/** Maximum length of a line, in characters. */
const MAX_LINE = 4096;

/** Passes complete, non-empty lines to `say`. Splits longer lines after 4096 characters. */
export function createLineSink(say: (line: string) => void): OutputSink {
  let rest = "";
  const sayParts = (line: string): void => {
    for (let at = 0; at < line.length; at += MAX_LINE) say(line.slice(at, at + MAX_LINE));
  };
  return {
    write(chunk) {
      const lines = (rest + chunk).split(/\r\n|[\n\r]/);
      rest = lines.pop() ?? "";
      lines.forEach(sayParts);
      const ready = rest.length - rest.length % MAX_LINE;
      sayParts(rest.slice(0, ready));
      rest = rest.slice(ready);
    },
    end() {
      sayParts(rest);
      rest = "";
    },
  };
}

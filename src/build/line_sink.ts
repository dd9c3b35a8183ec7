/**
 * A command's output, line by line.
 *
 * @module
 */
import type { OutputSink } from "./types.ts";

/** Longest piece of a line that becomes one line, in characters. */
const MAX_LINE = 4096;

/** Gives complete lines that are not empty to `say`; longer ones than 4096 characters in pieces. */
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

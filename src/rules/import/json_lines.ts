/** @module Finds the lines on which the parts of a JSON document start. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\n|[^\s{}[\],:"]+/g;

/** Maximum depth of parts whose lines are found. Deeper parts get their parent's line. */
const MAX_DEPTH = 2;

interface Frame {
  readonly path: string;
  readonly isList: boolean;
  index: number;
  key: string;
}

/**
 * Maps `key` and `key.0` of well-formed JSON to the line where the value starts, counted from 1.
 * Takes time linear in the length of the text.
 */
export function locateJson(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const stack: Frame[] = [];
  let line = 1;
  let last = "";
  const begin = (): string => {
    const frame = stack.at(-1);
    if (frame === undefined) return "";
    const step = frame.isList ? String(frame.index) : frame.key;
    const path = frame.path === "" ? step : `${frame.path}.${step}`;
    if (stack.length <= MAX_DEPTH && !lines.has(path)) lines.set(path, line);
    return path;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const frame = stack.at(-1);
    if (token === "\n") line += 1;
    else if (token === "{" || token === "[") {
      stack.push({ path: begin(), isList: token === "[", index: 0, key: "" });
    } else if (token === "}" || token === "]") stack.pop();
    else if (token === "," && frame !== undefined) frame.index += 1;
    else if (token === ":" && frame !== undefined) frame.key = String(JSON.parse(last));
    else begin();
    if (token !== "\n") last = token;
  }
  return lines;
}

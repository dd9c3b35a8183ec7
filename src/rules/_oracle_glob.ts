/**
 * The plain meaning of globs, for tests: try every way, the shortest first.
 *
 * @module
 */
import { captureNames } from "./glob.ts";
import type { GlobToken } from "./types.ts";

const UTF8 = /%[0-7]\w|%[C-D]\w%\w\w|%E\w%\w\w%\w\w|%F\w%\w\w%\w\w%\w\w|[^]/g;

/** Splits canonical, valid UTF-8 path text into its characters. */
const characters = (text: string): readonly string[] => text.match(UTF8) ?? [];

type Found = ReadonlyMap<string, string>;

function rest(tokens: readonly GlobToken[], path: readonly string[]): Found | undefined {
  const [token, ...more] = tokens;
  if (token === undefined) return path.length === 0 ? new Map() : undefined;
  if (token.type === "text") {
    const wanted = characters(token.text);
    const fits = wanted.every((character, index) => path[index] === character);
    return fits ? rest(more, path.slice(wanted.length)) : undefined;
  }
  if (token.type === "one") {
    return path.length > 0 && path[0] !== "/" ? rest(more, path.slice(1)) : undefined;
  }
  for (let length = token.type === "capture" ? 1 : 0; length <= path.length; length++) {
    const taken = path.slice(0, length);
    if ((token.type === "any" || token.type === "capture") && taken.includes("/")) break;
    const found = rest(more, path.slice(length));
    if (found === undefined) continue;
    return "name" in token ? new Map([...found, [token.name, taken.join("")]]) : found;
  }
  return undefined;
}

/** Every reading of a glob in which a `**` segment together with its slash is there or not. */
function readings(tokens: readonly GlobToken[], from = 0): readonly (readonly GlobToken[])[] {
  for (let index = from; index < tokens.length; index++) {
    const before = tokens[index - 1];
    const after = tokens[index + 1];
    const opens = before === undefined || (before.type === "text" && before.text.endsWith("/"));
    if (tokens[index]?.type !== "deep" || !opens || after?.type !== "text") continue;
    if (!after.text.startsWith("/")) continue;
    const shortened: GlobToken = { type: "text", text: after.text.slice(1) };
    const joined: GlobToken = before?.type === "text"
      ? { type: "text", text: before.text + shortened.text }
      : shortened;
    const head = tokens.slice(0, before === undefined ? index : index - 1);
    const without = [...head, joined, ...tokens.slice(index + 2)];
    return [...readings(without, head.length), ...readings(tokens, index + 1)];
  }
  return [tokens];
}

/** Captures in order, or `undefined` where the normalized path does not fit the glob. */
export function matchGlobPlainly(
  tokens: readonly GlobToken[],
  path: string,
): readonly string[] | undefined {
  for (const reading of readings(tokens)) {
    const found = rest(reading, characters(path));
    if (found !== undefined) return captureNames(tokens).map((name) => found.get(name) ?? "");
  }
  return undefined;
}

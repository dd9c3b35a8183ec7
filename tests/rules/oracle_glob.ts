/**
 * A simple glob matcher for tests. The matcher tries every possible match, starting with the
 * shortest.
 *
 * @module
 */
import type { GlobToken } from "../../src/rules/mod.ts";
import { captureNames } from "../../src/rules/pattern/glob.ts";

const UTF8 = /%[0-7]\w|%[C-D]\w%\w\w|%E\w%\w\w%\w\w|%F\w%\w\w%\w\w%\w\w|[^]/g;

/** Splits canonical, valid UTF-8 path text into its characters. */
const characters = (text: string): readonly string[] => text.match(UTF8) ?? [];

type Found = ReadonlyMap<string, string>;

/** Returns whether `**` is a whole segment and can therefore match zero segments. */
function isOptional(tokens: readonly GlobToken[], index: number): boolean {
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  return tokens[index]?.type === "deep" && after?.type === "text" && after.text.startsWith("/") &&
    (before === undefined || (before.type === "text" && before.text.endsWith("/")));
}

/** Matches the tokens starting at an index. `inside` replaces the first token's text. */
function rest(
  tokens: readonly GlobToken[],
  path: readonly string[],
  { index, inside }: { readonly index: number; readonly inside?: string },
): Found | undefined {
  const token = tokens[index];
  const next = { index: index + 1 };
  if (token === undefined) return path.length === 0 ? new Map() : undefined;
  if (token.type === "text") {
    const wanted = characters(inside ?? token.text);
    const fits = wanted.every((character, at) => path[at] === character);
    return fits ? rest(tokens, path.slice(wanted.length), next) : undefined;
  }
  if (token.type === "one") {
    return path.length > 0 && path[0] !== "/" ? rest(tokens, path.slice(1), next) : undefined;
  }
  const after = tokens[index + 1];
  if (isOptional(tokens, index) && after?.type === "text") {
    const without = rest(tokens, path, { index: index + 1, inside: after.text.slice(1) });
    if (without !== undefined) return without;
  }
  for (let length = token.type === "capture" ? 1 : 0; length <= path.length; length++) {
    const taken = path.slice(0, length);
    if ((token.type === "any" || token.type === "capture") && taken.includes("/")) break;
    const found = rest(tokens, path.slice(length), next);
    if (found === undefined) continue;
    return "name" in token ? new Map([...found, [token.name, taken.join("")]]) : found;
  }
  return undefined;
}

/** Returns the captures in order, or `undefined` if the normalized path does not match the glob. */
export function matchGlobPlainly(
  tokens: readonly GlobToken[],
  path: string,
): readonly string[] | undefined {
  const found = rest(tokens, characters(path), { index: 0 });
  return found && captureNames(tokens).map((name) => found.get(name) ?? "");
}

/**
 * @module Finds features of backtracking engines that route patterns do not support. For each
 * feature, suggests two routes whose priorities give the same effect.
 */
import { closingToken, type Token, tokenizePattern } from "./tokens.ts";

/** Maximum length of a pattern that is quoted in a message, in characters. */
const MAX_QUOTED = 120;

function quote(pattern: string): string {
  const shown = pattern.length > MAX_QUOTED ? `${pattern.slice(0, MAX_QUOTED)}…` : pattern;
  return JSON.stringify(shown);
}

function route(pattern: string, priority: number): string {
  return `{ "pattern": ${quote(pattern)}, "priority": ${priority} }`;
}

/** A feature found in a pattern, with the text before, inside and after it. */
interface UnsupportedFeature {
  readonly tokens: readonly Token[];
  readonly index: number;
  readonly text: string;
  readonly before: string;
  readonly inside: string;
  readonly after: string;
}

function locate(pattern: string, tokens: readonly Token[], index: number): UnsupportedFeature {
  const token = tokens[index]!;
  const start = token.start;
  const close = token.kind === "open" ? tokens[closingToken(tokens, index)]! : token;
  const end = close.start + close.text.length;
  const closed = token.kind === "open" && close.kind === "close";
  return {
    tokens,
    index,
    text: pattern.slice(start, end),
    before: pattern.slice(0, start),
    inside: pattern.slice(start + token.text.length, closed ? close.start : end),
    after: pattern.slice(end),
  };
}

/**
 * Returns true if the feature is neither in a group nor next to a "|", so the pattern can be split
 * there.
 */
function atTopLevel(found: UnsupportedFeature): boolean {
  let depth = 0;
  let depthAtFeature = 0;
  for (const [index, token] of found.tokens.entries()) {
    if (index === found.index) depthAtFeature = depth;
    if (token.kind === "open") depth++;
    else if (token.kind === "close") depth--;
    else if (token.text === "|" && depth === 0) return false;
  }
  return depthAtFeature === 0;
}

function lookaround(found: UnsupportedFeature, kind: string): string {
  const negative = found.text.startsWith("(?!") || found.text.startsWith("(?<!");
  const behind = found.text.startsWith("(?<");
  const narrow = behind ? found.inside + found.after : found.before + found.inside;
  const lead = `${kind} ${quote(found.text)} is not supported. Use two routes instead: `;
  if (!atTopLevel(found)) {
    return `${lead}one with "priority": 1 for the paths where ${quote(found.inside)} matches ` +
      `at this position, and one without the ${kind.toLowerCase()} and "priority": 0 for the rest`;
  }
  const general = found.before + found.after;
  return negative
    ? `${lead}${route(narrow, 1)} for the paths that it excludes, ` +
      `and ${route(general, 0)} for the rest`
    : `${lead}${route(narrow, 1)} for the paths that it requires, ` +
      `and ${route(general, 0)} for the others`;
}

/** Returns the text of the capturing group that a backreference refers to. */
function referenced(found: UnsupportedFeature, pattern: string): string {
  const name = /^(?:\\[kg]?[<{']?|\(\?P=)(\w+)/.exec(found.text)?.[1] ?? "1";
  let count = 0;
  for (const [index, token] of found.tokens.entries()) {
    const groupName = /^\(\?P?<([A-Za-z_]\w*)>$/.exec(token.text)?.[1];
    if (token.kind !== "open" || (token.text !== "(" && groupName === undefined)) continue;
    count++;
    if (String(count) !== name && groupName !== name) continue;
    const end = found.tokens[closingToken(found.tokens, index)]!;
    const body = pattern.slice(token.start + token.text.length, end.start);
    return `(${body})`;
  }
  return "(.*)";
}

function backreference(found: UnsupportedFeature, pattern: string): string {
  const general = found.before + referenced(found, pattern) + found.after;
  return `Backreference ${quote(found.text)} is not supported. Use two routes instead: ` +
    `one with "priority": 1 that writes out the repeated text, ` +
    `and ${route(general, 0)} for the rest`;
}

function atomic(found: UnsupportedFeature): string {
  const general = `${found.before}(?:${found.inside})${found.after}`;
  return `Atomic group ${quote(found.text)} is not supported. Use two routes instead: ` +
    `${route(general, 0)}, which never backtracks, ` +
    `and one with "priority": 1 for the paths that the group should exclude`;
}

function possessive(found: UnsupportedFeature): string {
  const plain = found.text.slice(0, -1);
  const general = found.before + plain + found.after;
  return `Possessive quantifier ${quote(found.text)} is not supported. Use two routes instead: ` +
    `${route(general, 0)}, which never backtracks, ` +
    `and one with "priority": 1 for the paths that the quantifier should exclude`;
}

const BACKREFERENCE = /^\\(?:[1-9][0-9]?|[kg](?:<[^>]*>|\{[^}]*\}|'[^']*'))$/;

/**
 * Suggests two routes that have the effect of the feature at a token. Returns `undefined` for a
 * token without such a feature.
 */
function describe(pattern: string, tokens: readonly Token[], index: number): string | undefined {
  const { kind, text } = tokens[index]!;
  const found = () => locate(pattern, tokens, index);
  if (kind === "open") {
    if (text === "(?=" || text === "(?!") return lookaround(found(), "Lookahead");
    if (text === "(?<=" || text === "(?<!") return lookaround(found(), "Lookbehind");
    if (text === "(?>") return atomic(found());
    if (text.startsWith("(?P=")) return backreference(found(), pattern);
  }
  if (kind === "escape" && BACKREFERENCE.test(text)) return backreference(found(), pattern);
  if (kind === "quantifier" && text.length > 1 && text.endsWith("+")) return possessive(found());
  return undefined;
}

/**
 * Returns one message for each kind of unsupported feature in a pattern, in the order of first
 * appearance. Each message shows how to replace the feature with two routes.
 */
export function describeUnsupported(pattern: string): string[] {
  const tokens = tokenizePattern(pattern);
  const messages = new Map<string, string>();
  for (const index of tokens.keys()) {
    const message = describe(pattern, tokens, index);
    const kind = message?.split(" ", 1)[0];
    if (message !== undefined && kind !== undefined && !messages.has(kind)) {
      messages.set(kind, message);
    }
  }
  return [...messages.values()];
}

/**
 * @module Splits a regular expression into tokens that reveal features not supported by a
 * linear-time engine.
 */

export type TokenKind = "open" | "close" | "escape" | "class" | "quantifier" | "text";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** UTF-16 offset into the pattern. */
  readonly start: number;
}

const TOKEN = new RegExp(
  [
    String
      .raw`(?<escape>\\(?:Q[^]*?(?:\\E|$)|[kg](?:<[^>]*>|\{[^}]*\}|'[^']*')|[0-9]{1,2}|u\{[^}]*\}|[^]|$))`,
    String.raw`(?<class>\[\^?\]?(?:\\[^]|\[:[^\]]*:\]|[^\]\\])*\]?)`,
    String
      .raw`(?<open>\((?:\?(?:<?[=!]|>|\||#|&|R|\(|[0-9+-][0-9]*\)|P?[<=>][^>)]*>?|[A-Za-z-]*:?))?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<quantifier>(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})[+?]?)`,
    String.raw`(?<text>[^])`,
  ].join("|"),
  "gu",
);

/** Splits a pattern into tokens. Accepts any text, even if it is not a valid pattern. */
export function tokenizePattern(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (const match of pattern.matchAll(TOKEN)) {
    const kind = (Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ??
      "text") as TokenKind;
    tokens.push({ kind, text: match[0], start: match.index });
  }
  return tokens;
}

/**
 * Returns the index of the token that closes the group opened at `index`, or of the last token if
 * the group is not closed.
 */
export function closingToken(tokens: readonly Token[], index: number): number {
  let depth = 0;
  for (let at = index; at < tokens.length; at++) {
    if (tokens[at]?.kind === "open") depth++;
    else if (tokens[at]?.kind === "close" && --depth === 0) return at;
  }
  return tokens.length - 1;
}

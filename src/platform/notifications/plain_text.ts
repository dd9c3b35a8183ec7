/**
 * Text of others, made fit to stand in a message.
 *
 * @module
 */

/** Control characters, and those that turn the direction of what follows. */
const UNSEEN = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu;

/** One line of at most `maximum` characters, cut with an ellipsis where it is longer. */
export function plainText(text: string, maximum: number): string {
  const line = text.replace(UNSEEN, " ").replace(/ {2,}/g, " ").trim();
  if (line.length <= maximum) return line;
  const cut = line.slice(0, maximum - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

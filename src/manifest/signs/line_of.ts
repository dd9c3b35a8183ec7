/** Escapes a text for a pattern. */
export const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Returns the line on which a text matches, starting at 1, or `undefined` if it does not match. */
export function lineOf(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const start = found.index + (found[0].length - found[0].trimStart().length);
  return text.slice(0, start).split("\n").length;
}

/** Escapes text for use in a pattern. */
export const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/**
 * Returns the number of the line that matches, starting at 1, or `undefined` if no line matches.
 */
export function lineOf(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const start = found.index + (found[0].length - found[0].trimStart().length);
  return text.slice(0, start).split("\n").length;
}

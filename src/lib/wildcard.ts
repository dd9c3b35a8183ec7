/** Returns whether text matches a pattern in which each `*` matches any text. Takes linear time. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let place = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, place);
    if (found === -1 || found + part.length > end) return false;
    place = found + part.length;
  }
  return true;
}

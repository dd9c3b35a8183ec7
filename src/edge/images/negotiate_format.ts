/** @module Chooses a format based on the client's `Accept` header. */

/**
 * Returns the media types in an `Accept` field whose weight is above 0. Does not expand wildcards.
 */
function wantedTypes(accept: string): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const range of accept.toLowerCase().split(",")) {
    const [type = "", ...rest] = range.split(";").map((part) => part.trim());
    if (!rest.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))) wanted.add(type);
  }
  return wanted;
}

/**
 * Returns the first offered format that a client accepts by name.
 *
 * A wildcard does not count, because clients without AVIF support send one too.
 *
 * @returns `undefined` if the client names none of the formats
 */
export function acceptedFormat<Format extends "avif" | "webp">(
  accept: string | null,
  offered: readonly Format[],
): Format | undefined {
  if (accept === null) return undefined;
  const wanted = wantedTypes(accept);
  return offered.find((format) => wanted.has(`image/${format}`));
}

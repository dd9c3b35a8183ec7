/** @module "Did you mean …?": finds the nearest valid word. */
import { distance } from "fastest-levenshtein";

/** Maximum length of a word to compare, in characters. Longer words are not typos. */
const MAX_WORD = 64;

/**
 * Returns the candidate nearest to `word`, or `undefined` if none is near enough: at most two edits
 * and 40% of the word's length, but one edit is always allowed.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const limit = Math.max(1, Math.min(2, Math.floor(word.length * 0.4)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestDistance) {
      best = candidate;
      bestDistance = edits;
    }
  }
  return best;
}

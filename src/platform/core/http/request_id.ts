/** Request IDs: unique on a platform, cheap to create, and not secret. @module */
import type { Random } from "../../../lib/clock.ts";

/**
 * Creates a generator. An ID consists of 40 bits that are random for each process, followed by a
 * counter.
 */
export function requestIds(random: Random): () => string {
  const prefix = `${random(5).toHex()}-`;
  let count = 0;
  return () => prefix + (count++).toString(36);
}

/** Memory limits for the edge's caches. @module */

/** Sizes of the caches, in bytes. */
export interface CacheSizes {
  /** Size of the cache for responses from upstreams, functions and servers. */
  readonly responses: number;
  /** Size of the cache for sites' small files. */
  readonly files: number;
}

const MEBIBYTE = 1024 * 1024;
const LEAST = 32 * MEBIBYTE;
const MOST = 1024 * MEBIBYTE;

/** Fraction of the memory for each cache. Servers, functions and builds need most of the memory. */
const SHARE = 1 / 16;

/**
 * Returns the cache sizes. A size that is not set defaults to a sixteenth of the memory, but at
 * least 32 MiB and at most 1 GiB.
 */
export function completeCacheSizes(
  chosen: Partial<CacheSizes> | undefined,
  memoryBytes: number,
): CacheSizes {
  const usual = Math.round(Math.min(Math.max(memoryBytes * SHARE, LEAST), MOST));
  return { responses: chosen?.responses ?? usual, files: chosen?.files ?? usual };
}

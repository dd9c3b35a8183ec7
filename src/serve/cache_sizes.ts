/**
 * How much memory the edge's caches may take, over all its threads together.
 *
 * @module
 */

/** Bytes. */
export interface CacheSizes {
  /** Responses of other sites, functions and servers. */
  readonly responses: number;
  /** Small files of sites. */
  readonly files: number;
}

const MEBIBYTE = 1024 * 1024;
const LEAST = 32 * MEBIBYTE;
const MOST = 1024 * MEBIBYTE;

/** Part of the memory for each cache: servers, functions and builds need the rest. */
const SHARE = 1 / 16;

/** The sizes that were chosen, and for others a sixteenth of the memory, from 32 MiB to 1 GiB. */
export function completeCacheSizes(
  chosen: Partial<CacheSizes> | undefined,
  memoryBytes: number,
): CacheSizes {
  const usual = Math.round(Math.min(Math.max(memoryBytes * SHARE, LEAST), MOST));
  return { responses: usual, files: usual, ...chosen };
}

/**
 * Bytes of responses in the platform's cache, and in that of each edge thread: the
 * threads share one half.
 */
export function responseShares(
  { responses }: CacheSizes,
  edgeThreads: number,
): { readonly platform: number; readonly thread: number } {
  if (edgeThreads === 1) return { platform: responses, thread: 0 };
  const thread = Math.floor(responses / 2 / edgeThreads);
  return { platform: responses - thread * edgeThreads, thread };
}

/** Bytes of files for each edge: those in threads, and the platform's own, share the size. */
export function filesPerEdge({ files }: CacheSizes, edgeThreads: number): number {
  return edgeThreads === 1 ? files : Math.ceil(files / (edgeThreads + 1));
}

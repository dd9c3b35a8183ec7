/**
 * Keeping old runtimes from compressing answers.
 *
 * `Deno.serve` before 2.9 compresses what a client would take compressed, anew
 * for every request, and weakens the `ETag` as it does. The edge sends files as
 * they were uploaded, precompressed where the build did that.
 *
 * @module
 */

const FIRST_WITHOUT = [2, 9] as const;

/** Whether `Deno.serve` of this version of Deno compresses unless it is told not to. */
export function compressesByItself(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < FIRST_WITHOUT[0] || (major === FIRST_WITHOUT[0] && minor < FIRST_WITHOUT[1]);
}

/**
 * Marks an answer as encoded already, the one mark that such a runtime heeds
 * and that changes nothing else: `no-transform` would bind caches as well.
 */
export function preventCompression(headers: Headers): void {
  if (!headers.has("content-encoding")) headers.set("content-encoding", "identity");
}

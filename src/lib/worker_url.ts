/** @module The modules of workers. */

/**
 * Returns the URL of a worker's module, which is next to the compiled program's main module or in
 * the source.
 */
export function workerUrl(staged: string, source: URL): URL {
  return Deno.build.standalone ? new URL(`./${staged}`, Deno.mainModule) : source;
}

/**
 * The base runtime of a compiled program: `denort` of the Deno that compiles it.
 *
 * @module
 */

/** The exit code of `scripts/compile.ts` if it cannot get a base runtime. */
export const NO_BASE_RUNTIME = 3;

/** The Deno version that a base runtime carries in its user agent. */
export function runtimeVersion(runtime: Uint8Array): string | undefined {
  const text = new TextDecoder("latin1").decode(runtime);
  return /Deno\/(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/**
 * Checks that a file is the base runtime of this Deno.
 *
 * @throws {Error} if it has another version, because the program could not read the packed data.
 */
export async function checkBaseRuntime(path: string): Promise<void> {
  const version = runtimeVersion(await Deno.readFile(path));
  if (version === Deno.version.deno) return;
  throw new Error(
    `DENORT_BIN must be the base runtime of Deno ${Deno.version.deno}: ${path} is of ` +
      (version ?? "an unknown version"),
  );
}

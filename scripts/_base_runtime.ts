/**
 * The base runtime of a compiled program: the `denort` that belongs to the compiling Deno.
 *
 * @module
 */

/** The exit code of `scripts/compile.ts` if it cannot get a base runtime. */
export const NO_BASE_RUNTIME = 3;

/** Returns the Deno version in a base runtime's user agent string. */
export function runtimeVersion(runtime: Uint8Array): string | undefined {
  const text = new TextDecoder("latin1").decode(runtime);
  return /Deno\/(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/**
 * Checks that a file is this Deno's base runtime.
 *
 * @throws {Error} if the versions differ, because then the program could not read its packed data.
 */
export async function checkBaseRuntime(path: string): Promise<void> {
  const version = runtimeVersion(await Deno.readFile(path));
  if (version === Deno.version.deno) return;
  throw new Error(
    `DENORT_BIN must be the base runtime of Deno ${Deno.version.deno}: ${path} is for ` +
      (version ?? "an unknown version"),
  );
}

/**
 * Where the processes of foreign code keep compiled source, when the program
 * is run from source.
 *
 * @module
 */
import { join } from "node:path";

/**
 * Databases that Deno 2 opens for writing at every start and keeps open. A
 * folder of that name makes it keep the same things in memory.
 */
const DATABASES = ["dep_analysis_cache_v2", "node_analysis_cache_v2", "v8_code_cache_v2"] as const;

const FOLDER = "svc-processes";

/** Deno's own folder for what it has fetched and compiled, from a program's environment. */
export function denoCache(env: Readonly<Record<string, string | undefined>>): string {
  return env.DENO_DIR ?? join(env.XDG_CACHE_HOME ?? join(env.HOME ?? "/", ".cache"), "deno");
}

/**
 * A folder for Deno that holds compiled source and nothing else: none of its
 * databases can be opened in it. Where it cannot be made, Deno compiles at each
 * start; what it opens then is up to the process to find
 * (`refuseForeignDescriptors`).
 */
export function sourceCache(env: Readonly<Record<string, string | undefined>>): string {
  const folder = join(denoCache(env), FOLDER);
  try {
    for (const name of DATABASES) Deno.mkdirSync(join(folder, name), { recursive: true });
  } catch { /* it is the process that says what it found open */ }
  return folder;
}

/** What Deno is told about its caches when it runs foreign code from source. */
export function sourceCacheEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return {
    DENO_DIR: sourceCache(env),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
}

/** Keeps Deno from the cache of machine code, of its own or of others. */
export const NO_CODE_CACHE = "--no-code-cache";

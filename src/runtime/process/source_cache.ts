/**
 * @module Manages the cache of compiled source for processes that run project code, when svc runs
 * from source.
 */
import { join } from "node:path";

/**
 * Names of databases that Deno 2 opens for writing at every start and keeps open. If there is a
 * folder with the same name, Deno keeps the data in memory.
 */
const DATABASES = ["dep_analysis_cache_v2", "node_analysis_cache_v2", "v8_code_cache_v2"] as const;

const FOLDER = "svc-processes";

/** Returns Deno's cache folder, according to a program's environment. */
export function denoCache(env: Readonly<Record<string, string | undefined>>): string {
  return env.DENO_DIR ?? join(env.XDG_CACHE_HOME ?? join(env.HOME ?? "/", ".cache"), "deno");
}

/**
 * Creates a cache folder for Deno that contains only compiled source, because no database can be
 * opened in it. If the folder cannot be created, Deno compiles at each start, and the process
 * itself checks for open descriptors (`refuseForeignDescriptors`).
 */
export function sourceCache(env: Readonly<Record<string, string | undefined>>): string {
  const folder = join(denoCache(env), FOLDER);
  try {
    for (const name of DATABASES) Deno.mkdirSync(join(folder, name), { recursive: true });
  } catch { /* the process reports open files */ }
  return folder;
}

/** Returns Deno's cache settings for processes that run project code from source. */
export function sourceCacheEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return {
    DENO_DIR: sourceCache(env),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
}

/** Keeps Deno from using any machine code cache. */
export const NO_CODE_CACHE = "--no-code-cache";

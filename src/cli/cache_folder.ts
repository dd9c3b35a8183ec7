/**
 * Where the tool keeps what it can make again at any time.
 *
 * @module
 */
import { isAbsolute, join } from "node:path";
import { CliError } from "./cli_error.ts";
import type { Environment } from "./settings.ts";

/** `$XDG_CACHE_HOME/svc`, else `~/.cache/svc` (XDG Base Directory Specification). */
export function cacheFolder(env: Environment): string {
  const { XDG_CACHE_HOME: cache, LOCALAPPDATA: local, HOME: home } = env;
  if (cache !== undefined && isAbsolute(cache)) return join(cache, "svc");
  if (home !== undefined && home !== "") return join(home, ".cache", "svc");
  if (local !== undefined && local !== "") return join(local, "svc", "cache");
  throw new CliError("usage", "Set HOME or XDG_CACHE_HOME: there is no folder for the cache");
}

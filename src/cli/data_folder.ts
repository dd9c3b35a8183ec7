/**
 * Where a platform keeps its data when nothing else is said.
 *
 * @module
 */
import { isAbsolute, join } from "node:path";
import { CliError } from "./cli_error.ts";
import type { Environment } from "./settings.ts";

/** `$XDG_DATA_HOME/svc`, which counts only as an absolute path (XDG Base Directory). */
export function dataFolder(env: Environment): string {
  const { XDG_DATA_HOME: data, LOCALAPPDATA: local, HOME: home } = env;
  if (data !== undefined && isAbsolute(data)) return join(data, "svc");
  if (home !== undefined && home !== "") return join(home, ".local", "share", "svc");
  if (local !== undefined && local !== "") return join(local, "svc");
  throw new CliError("usage", "Name a data directory with --data-dir: HOME is not set");
}

/** @module Finds the user's folders for caches and data (XDG Base Directory Specification). */
import { isAbsolute, join } from "node:path";
import { CliError } from "../errors/cli_error.ts";
import type { Environment } from "./global_flags.ts";

interface Places {
  /** Value of the XDG variable, which is ignored unless it is an absolute path. */
  readonly xdg: string | undefined;
  /** Path segments below the home folder. */
  readonly home: readonly string[];
  /** Path segments below `%LOCALAPPDATA%`. */
  readonly local: readonly string[];
}

function folderOf({ LOCALAPPDATA: local, HOME: home }: Environment, places: Places) {
  if (places.xdg !== undefined && isAbsolute(places.xdg)) return join(places.xdg, "svc");
  if (home !== undefined && home !== "") return join(home, ...places.home);
  if (local !== undefined && local !== "") return join(local, ...places.local);
  return undefined;
}

/**
 * Returns `$XDG_CACHE_HOME/svc`, otherwise `~/.cache/svc`, for content that can be recreated at any
 * time.
 */
export function cacheFolder(env: Environment): string {
  const folder = folderOf(env, {
    xdg: env.XDG_CACHE_HOME,
    home: [".cache", "svc"],
    local: ["svc", "cache"],
  });
  if (folder !== undefined) return folder;
  throw new CliError("usage", "There is no cache folder: set HOME or XDG_CACHE_HOME");
}

/** Returns `$XDG_DATA_HOME/svc`, otherwise `~/.local/share/svc`, for the data of `svc serve`. */
export function dataFolder(env: Environment): string {
  const folder = folderOf(env, {
    xdg: env.XDG_DATA_HOME,
    home: [".local", "share", "svc"],
    local: ["svc"],
  });
  if (folder !== undefined) return folder;
  throw new CliError("usage", "HOME is not set: choose a data directory with --data-dir");
}

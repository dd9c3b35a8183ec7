/** @module Finds the project that contains a directory. */
import { dirname, join, resolve } from "node:path";

export const PROJECT_CONFIG_FILE = "svc.toml";

interface ProjectRootOptions {
  /** The user's home directory, at which the search ends. */
  readonly home?: string;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns the directories that can be the root of the project containing `from`, nearest first. */
export function rootCandidates(from: string, options: ProjectRootOptions = {}): readonly string[] {
  const home = options.home === undefined ? undefined : resolve(options.home);
  const candidates: string[] = [];
  let directory = resolve(from);
  for (;;) {
    candidates.push(directory);
    const parent = dirname(directory);
    if (directory === home || parent === directory) return candidates;
    directory = parent;
  }
}

/**
 * Finds the nearest directory at or above `from` that contains a `svc.toml`. Checks one name per
 * level, up to the home directory or the file system's root, and never lists a folder.
 */
export async function findProjectRoot(
  from: string,
  options: ProjectRootOptions = {},
): Promise<string | undefined> {
  for (const directory of rootCandidates(from, options)) {
    if (await exists(join(directory, PROJECT_CONFIG_FILE))) return directory;
  }
  return undefined;
}

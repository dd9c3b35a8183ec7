/**
 * The files of an output as validation sees them.
 *
 * @module
 */
import type { OutputFiles } from "./types.ts";

/**
 * Answers from a list of relative paths with `/`, be it a walked folder or
 * an upload. A folder exists when a file lies below it; `.` always exists.
 */
export function outputFilesOf(paths: Iterable<string>): OutputFiles {
  const files = new Set<string>();
  const directories = new Set<string>(["."]);
  for (const path of paths) {
    files.add(path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return {
    hasFile: (path) => files.has(path),
    hasDirectory: (path) => directories.has(path),
  };
}

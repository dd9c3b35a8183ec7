/**
 * The files that a check reads: everything in the repository except generated files (dependencies,
 * builds) and git's own folder.
 *
 * @module
 */
import { join, relative } from "node:path";

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  ".git",
  ".svc",
  ".svc-test",
  "dist",
  "node_modules",
]);

/** The root of the repository. */
export const ROOT = join(import.meta.dirname!, "..");

/** Returns the sorted paths of all files below `root`, relative to it. */
export function listFiles(root: string): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of Deno.readDirSync(folder)) {
      const path = join(folder, entry.name);
      if (entry.isFile) found.push(relative(root, path));
      else if (entry.isDirectory && !SKIPPED_FOLDERS.has(entry.name)) walk(path);
    }
  };
  walk(root);
  return found.sort();
}

/** Returns true for our own TypeScript files. Fixtures are test input, not source code. */
export function isOurSource(path: string): boolean {
  return /\.tsx?$/.test(path) && !path.startsWith("fixtures/");
}

/** Returns true for a test file. */
export function isTest(path: string): boolean {
  return /_test\.tsx?$/.test(path) || path.startsWith("tests/");
}

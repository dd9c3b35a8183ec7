/**
 * Checks that each exported name is used by another file, so that readers can see which names a
 * file keeps to itself.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

const EXPORT =
  /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;

/** Finds each exported name that no other file contains. */
export function findUnusedExports(files: readonly TextFile[]): string[] {
  const holders = new Map<string, number>();
  for (const { text } of files) {
    for (const word of new Set(text.match(/\w+/g))) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  // Test files only export within the source texts of the apps that they write.
  return files.filter(({ path }) => !/_test\.tsx?$/.test(path)).flatMap(({ path, text }) =>
    [...text.matchAll(EXPORT)].flatMap(({ index, 1: name = "" }) => {
      if (holders.get(name) !== 1) return [];
      const line = text.slice(0, index).split("\n").length;
      return [`${path}:${line}: No other file uses ${name}: do not export it`];
    })
  );
}

/**
 * Limits the length of files, so that people can read them in one sitting.
 *
 * @module
 */
import { isTest } from "./_source_files.ts";

/** Maximum number of lines of a source file. */
export const MAX_SOURCE_LINES = 400;
/** Maximum number of lines of a test file. */
export const MAX_TEST_LINES = 500;

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Finds the files that exceed the limit of their kind. */
export function findLongFiles(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    const [kind, limit] = isTest(path) ? ["test", MAX_TEST_LINES] : ["source", MAX_SOURCE_LINES];
    if (lines <= limit) return [];
    return `${path}:${
      limit + 1
    }: Keep a ${kind} file within ${limit} lines: it has ${lines}; split it by subject`;
  });
}

/**
 * Checks that programs are started in only one place. A program started elsewhere would inherit
 * this program's descriptors.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

/** Files that may start programs directly. */
const STARTERS: ReadonlySet<string> = new Set([
  "src/lib/spawn_program.ts",
  // The user's own command, which gets the descriptors that the user's shell has opened for it.
  "src/cli/env/run_child.ts",
]);

const START = /new Deno\.Command\(|["']node:child_process["']/;

/** Finds each line of the program, excluding tests, that starts another program directly. */
export function findProgramStarts(files: readonly TextFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith("src/") && !STARTERS.has(path))
    .filter(({ path }) => !/(?:^|\/)(?:test_|_test_)|_test\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) =>
        START.test(line)
          ? [
            `${path}:${
              index + 1
            }: Start programs with src/lib/spawn_program.ts, which does not pass descriptors on`,
          ]
          : []
      )
    );
}

/**
 * Checks that text files are read in only one place. Elsewhere, bytes that are not UTF-8 would
 * silently become other characters.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

/** Files that may read text directly, and why. */
const READERS: ReadonlyMap<string, string> = new Map([
  ["src/config/edit_project_config.ts", "compares one of our files before it rewrites it"],
  [
    "src/platform/builds/logs/build_logs.ts",
    "reads as much as possible of a log that a crash truncated",
  ],
  ["src/platform/domains/dns_client.ts", "reads the system's resolv.conf"],
  ["src/platform/git/mirror.ts", "compares one of our files with the desired content"],
  ["src/runtime/bundle/server_modules.ts", "reads packages in the same way as esbuild"],
  ["src/build/child/main.ts", "reads the job that the platform wrote"],
]);

/** `readTextFileSync` is allowed for kernel files, which are ASCII. */
const READ = /Deno\.readTextFile\(/;

/** Finds each line of the program, excluding tests, that reads a text file directly. */
export function findTextReads(files: readonly TextFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith("src/") && !READERS.has(path))
    .filter(({ path }) => !/(?:^|\/)(?:test_|_test_)|_test\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) =>
        READ.test(line)
          ? [
            `${path}:${
              index + 1
            }: Read text with src/lib/utf8.ts, which rejects anything but UTF-8`,
          ]
          : []
      )
    );
}

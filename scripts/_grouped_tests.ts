/**
 * Modules that run several test files in one thread. Loading a file's imports takes longer than
 * most tests, and the files of a folder share most imports.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./_source_files.ts";

const PRELOAD = join(ROOT, "tests", "_preload.ts");

/** Matches the path that `deno test` prints before the name of each test of a group. */
const GROUP = /^\S*\/_group_\d+\.ts => /gm;

const textOf = (path: string): string => JSON.stringify(pathToFileURL(path).href);

function moduleOf(files: readonly string[]): string {
  const lines = files.map((file) =>
    `await loadTests(${JSON.stringify(file)}, () => import(${textOf(resolve(ROOT, file))}));`
  );
  return [`import { loadTests } from ${textOf(PRELOAD)};`, ...lines, ""].join("\n");
}

/** Writes a module for each group to a folder, and returns their paths. */
export async function writeGroups(
  folder: string,
  groups: readonly (readonly string[])[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const [at, files] of groups.entries()) {
    const path = join(folder, `_group_${at}.ts`);
    await Deno.writeTextFile(path, moduleOf(files));
    paths.push(path);
  }
  return paths;
}

/** Removes group names from the test names in complete lines of `deno test` output. */
export const withoutGroups = (text: string): string => text.replaceAll(GROUP, "");

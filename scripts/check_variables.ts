/**
 * Checks that CONTRIBUTING.md lists every environment variable that changes what
 * tests, tasks and benches do.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

/** Variables that the machine sets, and variables that tests pass to their servers. */
const OTHERS = new Set(["PATH", "HOME", "TMPDIR", "npm_config_cache", "PORT", "OTHERS"]);

const READS = /(?:Deno\.env\.get|numberOf|partsOf)\("(\w+)"/g;

const isOfTests = (path: string): boolean =>
  /^(?:tests|scripts)\//.test(path) || /(?:^|\/)_test_\w+\.tsx?$|_test\.tsx?$/.test(path);

/** Finds variables that a test or script reads but `guide` does not name. */
export function findUnlistedVariables(
  sources: readonly TextFile[],
  guide: string,
): string[] {
  return sources.filter(({ path }) => isOfTests(path)).flatMap(({ path, text }) =>
    [...text.matchAll(READS)].map(([, name]) => name!)
      .filter((name) => !OTHERS.has(name) && !guide.includes(`\`${name}\``))
      .map((name) => `${path}: Add ${name} to the table of variables in CONTRIBUTING.md`)
  );
}

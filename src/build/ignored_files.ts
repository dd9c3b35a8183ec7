/**
 * @module Files of a project's folder that its author keeps private, listed in a `.gitignore` or
 * `.svcignore` in the folder or below it. `.svcignore` is read last, so its `!` patterns include
 * files again.
 */
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { IgnoredEntries } from "../manifest/mod.ts";
import { readOptionalText } from "./read_rules_file.ts";

/** The ignore file that only svc reads. */
const OWN = ".svcignore";
const GIT = ".gitignore";
type IgnoreFile = typeof OWN | typeof GIT;

/** Summarizes which files and folders each kind of ignore file affected. */
export interface IgnoreReport {
  /** Number of files and folders that each kind of ignore file left out. */
  readonly leftOut: Record<IgnoreFile, number>;
  /** Files and folders that `.gitignore` lists and `.svcignore` includes again. */
  readonly restored: string[];
}

interface IgnoredFiles extends IgnoredEntries {
  /** Counts the entries for which `isIgnored` was called. */
  readonly report: IgnoreReport;
}

export const emptyReport = (): IgnoreReport => ({
  leftOut: { [OWN]: 0, [GIT]: 0 },
  restored: [],
});

/** Escapes a path for use in a pattern. */
const literal = (path: string): string => path.replace(/[\\*?[\]!#]/g, "\\$&");

/**
 * Converts a line of a folder's ignore file to an equivalent line for the project's root. Returns
 * `undefined` if the line is not a pattern (gitignore(5)).
 */
function patternFromRoot(line: string, folder: string): string | undefined {
  if (line.trim() === "" || line.startsWith("#")) return undefined;
  const [mark, pattern] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
  const isAnchored = pattern.trimEnd().slice(0, -1).includes("/");
  const path = pattern.replace(/^\//, "");
  if (path.trim() === "") return undefined;
  return `${mark}/${literal(folder)}/${isAnchored ? "" : "**/"}${path}`;
}

/** Converts the patterns of a folder's ignore file to patterns for the project's folder. */
function patternsFromRoot(text: string, folder: string): string[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  return lines.flatMap((line) => patternFromRoot(line, folder) ?? []);
}

/** Adds the patterns of a folder's own ignore files to the rules. */
async function withFolder(
  rules: Ignore,
  { root, folder, file }: {
    readonly root: string;
    readonly folder: string;
    readonly file: IgnoreFile;
  },
): Promise<Ignore> {
  const path = join(folder, file);
  const text = await readOptionalText(join(root, path), path);
  if (text === undefined) return rules;
  return ignore().add(rules).add(folder === "" ? text : patternsFromRoot(text, folder));
}

type Rules = Readonly<Record<IgnoreFile, Ignore>>;

/**
 * Returns an object that tests whether entries are ignored. Ignore files in subfolders add to the
 * rules.
 */
function ignoredBy(rules: Rules, root: string, report: IgnoreReport): IgnoredEntries {
  // Patterns from .svcignore files in any folder come last, so they take precedence.
  const both = ignore().add(rules[GIT]).add(rules[OWN]);
  const ignored: IgnoredEntries = {
    isIgnored(path, isFolder) {
      const entry = isFolder ? `${path}/` : path;
      if (both.ignores(entry)) {
        report.leftOut[rules[OWN].ignores(entry) ? OWN : GIT]++;
        return true;
      }
      if (rules[OWN].test(entry).unignored && rules[GIT].ignores(entry)) report.restored.push(path);
      return false;
    },
    async enter(folder, names) {
      if (folder === "") return ignored;
      const below = { ...rules };
      let changed = false;
      for (const file of [OWN, GIT] as const) {
        if (!names.includes(file)) continue;
        below[file] = await withFolder(rules[file], { root, folder, file });
        changed = true;
      }
      return changed ? ignoredBy(below, root, report) : ignored;
    },
  };
  return ignored;
}

/** Reads the ignore rules of a site whose output is the project's own folder. */
export async function readIgnoredFiles(root: string): Promise<IgnoredFiles> {
  const report = emptyReport();
  const at = (file: IgnoreFile) => withFolder(ignore(), { root, folder: "", file });
  const rules = { [OWN]: await at(OWN), [GIT]: await at(GIT) };
  return { report, ...ignoredBy(rules, root, report) };
}

/**
 * Returns whether a project's `.svcignore` files list a path with `!`, which means that the author
 * wants to deploy it.
 */
export async function isListed(root: string, path: string): Promise<boolean> {
  const folders = path.split("/").slice(0, -1);
  let rules = await withFolder(ignore(), { root, folder: "", file: OWN });
  for (const at of folders.keys()) {
    const folder = folders.slice(0, at + 1).join("/");
    rules = await withFolder(rules, { root, folder, file: OWN });
  }
  return rules.test(path).unignored;
}

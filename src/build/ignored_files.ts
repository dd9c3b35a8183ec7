/**
 * Files of a project's folder that its author keeps to themselves: those that
 * `.svcignore` names or, where there is none, `.gitignore`.
 *
 * @module
 */
import { join } from "node:path";
import ignore from "ignore";
import { readOptionalText } from "./read_rules_file.ts";

/** In the order in which they are looked for; only the first that is there counts. */
const FILES = [".svcignore", ".gitignore"] as const;

export interface IgnoredFiles {
  /** Name of the file that says so. */
  readonly file: (typeof FILES)[number];
  /** `path` is relative to the project, with `/`. */
  isIgnored(path: string, isFolder: boolean): boolean;
}

/** Reads what is left out of a site that is its project's own folder; nothing where no file says so. */
export async function readIgnoredFiles(projectRoot: string): Promise<IgnoredFiles | undefined> {
  for (const file of FILES) {
    const text = await readOptionalText(join(projectRoot, file));
    if (text === undefined) continue;
    const rules = ignore().add(text);
    return {
      file,
      isIgnored: (path, isFolder) => rules.ignores(isFolder ? `${path}/` : path),
    };
  }
  return undefined;
}

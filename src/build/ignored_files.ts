/**
 * Files of a project's folder that its author keeps to themselves: those that
 * `.svcignore` names or, where there is none, `.gitignore`, in the folder and
 * in those below it.
 *
 * @module
 */
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { IgnoredEntries } from "../manifest/mod.ts";
import { readOptionalText } from "./read_rules_file.ts";

/** In the order in which they are looked for; only the first that is in the project's folder counts. */
const FILES = [".svcignore", ".gitignore"] as const;
type IgnoreFile = (typeof FILES)[number];

export interface IgnoredFiles extends IgnoredEntries {
  /** Name of the files that say so. */
  readonly file: IgnoreFile;
}

/** A path of folders as it stands in a pattern. */
const literal = (path: string): string => path.replace(/[\\*?[\]!#]/g, "\\$&");

/**
 * A line of a folder's file, as it would stand in the file of the project's
 * folder; `undefined` where it is no pattern (gitignore(5)).
 */
function patternFromRoot(line: string, folder: string): string | undefined {
  if (line.trim() === "" || line.startsWith("#")) return undefined;
  const [mark, pattern] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
  const isAnchored = pattern.trimEnd().slice(0, -1).includes("/");
  const path = pattern.replace(/^\//, "");
  if (path.trim() === "") return undefined;
  return `${mark}/${literal(folder)}/${isAnchored ? "" : "**/"}${path}`;
}

/** The patterns of a folder's file, each as it would stand in the file of the project's folder. */
function patternsFromRoot(text: string, folder: string): string[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  return lines.flatMap((line) => patternFromRoot(line, folder) ?? []);
}

/** What is ignored in a folder: by what is said above it, and then by its own file. */
function ignoredBy(rules: Ignore, project: { readonly root: string; readonly file: IgnoreFile }) {
  const ignored: IgnoredEntries = {
    isIgnored: (path, isFolder) => rules.ignores(isFolder ? `${path}/` : path),
    async enter(folder, names) {
      if (folder === "" || !names.includes(project.file)) return ignored;
      const path = join(folder, project.file);
      const text = await readOptionalText(join(project.root, path), path) ?? "";
      const below = ignore().add(rules).add(patternsFromRoot(text, folder));
      return ignoredBy(below, project);
    },
  };
  return ignored;
}

/** Reads what is left out of a site that is its project's own folder. */
export async function readIgnoredFiles(root: string): Promise<IgnoredFiles> {
  for (const file of FILES) {
    const text = await readOptionalText(join(root, file));
    if (text === undefined) continue;
    return { file, ...ignoredBy(ignore().add(text), { root, file }) };
  }
  // Folders below it may have files of their own.
  return { file: ".gitignore", ...ignoredBy(ignore(), { root, file: ".gitignore" }) };
}

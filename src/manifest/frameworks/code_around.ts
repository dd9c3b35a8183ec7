/**
 * @module Reads an entry and its imports, because one file can start a server that another file
 * creates.
 */
import { dirname, join } from "node:path/posix";
import { type ServerCode, serverCode } from "./server_code.ts";
import type { ProjectReader } from "./types.ts";

/** A module's code, and its path relative to the project. */
export interface ModuleText {
  readonly path: string;
  readonly text: string;
}

/** Maximum number of modules that are checked, including the entry. */
const MAX_MODULES = 12;

/** Matches, for example, `require("./app")` and `import app from "../app.js"`. */
const OWN_IMPORT =
  /(?:\brequire\(\s*|\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}(?:\/[^"'\n]{0,256})?)["']/g;

const EXTENSIONS = ["js", "ts", "mjs", "cjs", "mts", "cts", "tsx", "jsx"] as const;

/** Returns the paths that an import can refer to. In TypeScript, `./app.js` means `app.ts`. */
function pathsOf(file: string): string[] {
  const stem = file.replace(/\.[cm]?jsx?$/, "");
  return [
    file,
    ...EXTENSIONS.map((type) => `${stem}.${type}`),
    ...EXTENSIONS.slice(0, 2).map((type) => `${file}/index.${type}`),
  ];
}

export async function firstFile(
  project: ProjectReader,
  paths: readonly string[],
): Promise<ModuleText | undefined> {
  for (const path of paths) {
    const text = await project.readText(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** Returns the code of an entry and then of the modules that it imports. */
export async function textAround(project: ProjectReader, entry: ModuleText): Promise<string> {
  const seen = new Map([[entry.path, entry.text]]);
  for (const [path, text] of seen) {
    for (const [, specifier = ""] of text.matchAll(OWN_IMPORT)) {
      const file = join(dirname(path), specifier);
      if (seen.size >= MAX_MODULES || file.startsWith("..")) continue;
      const found = await firstFile(project, pathsOf(file));
      if (found !== undefined) seen.set(found.path, found.text);
    }
  }
  return [...seen.values()].join("\n");
}

/**
 * Returns the signs of a server in an entry. If there are none, also searches the entry's imports.
 */
export const codeAround = async (
  project: ProjectReader,
  entry: ModuleText,
): Promise<ServerCode | undefined> =>
  serverCode(entry.text) ?? serverCode(await textAround(project, entry));

/** @module Reads functions, and finds features that have no equivalent in svc. */
import { stripComments } from "./config_text.ts";
import type { ProjectReader } from "./types.ts";

/** Maximum number of functions that are read per project. */
const MAX_FUNCTION_FILES = 500;

export const FUNCTION_SCRIPT = /\.(?:[cm]?js|[cm]?ts)$/;

const HANDLES =
  /\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b|\bmodule\.exports\s*=|\bexports\.(?:default|handler|GET|POST|PUT|PATCH|DELETE)\s*=|\bexport\s+(?:const|let|var|(?:async\s+)?function)\s+(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|handler|fetch)\b/;

export interface FunctionText {
  /** Path relative to the folder. */
  readonly path: string;
  /** Path relative to the project. */
  readonly file: string;
  readonly text: string;
}

/** A feature in the code that works differently in svc than on its original platform. */
export interface Difference {
  readonly pattern: RegExp;
  /** The message, as a clause about the file. */
  readonly says: string;
}

/** Reads the modules in a folder that handle requests. */
export async function readFunctions(
  project: ProjectReader,
  folder: string,
): Promise<readonly FunctionText[]> {
  const found: FunctionText[] = [];
  for (const path of (await project.list?.(folder) ?? []).slice(0, MAX_FUNCTION_FILES)) {
    const isHidden = path.split("/").some((step) => step.startsWith("_"));
    if (isHidden || !FUNCTION_SCRIPT.test(path) || /\.d\.[cm]?ts$/.test(path)) continue;
    if (/\.(?:test|spec)\.\w+$/.test(path)) continue;
    const file = `${folder}/${path}`;
    const text = await project.readText(file);
    if (text !== undefined && HANDLES.test(stripComments(text))) found.push({ path, file, text });
  }
  return found;
}

/**
 * Returns the number of the first line with a match, starting at 1, or `undefined` if there is
 * none.
 */
export function lineWith(text: string, pattern: RegExp): number | undefined {
  const index = text.search(pattern);
  return index === -1 ? undefined : text.slice(0, index).split("\n").length;
}

/** Describes unsupported features of a file: `api/a.js:3 …`. */
export function differencesOf(
  { file, text }: Pick<FunctionText, "file" | "text">,
  differences: readonly Difference[],
): string[] {
  return differences.flatMap(({ pattern, says }) => {
    const line = lineWith(text, pattern);
    return line === undefined ? [] : [`${file}:${line} ${says}`];
  });
}

/** @module Finds functions for other platforms by their folders. */
import type { ProjectReader } from "../frameworks/types.ts";
import { lineOf } from "./line_of.ts";
import { FUNCTION_FOLDERS } from "./sign_table.ts";
import type { ProjectSign } from "./types.ts";

/** Maximum number of functions that are listed in an error. */
const MAX_NAMED = 3;

/** Maximum number of files that are read per folder. */
const MAX_READ = 24;

const SCRIPT = /\.[cm]?[jt]sx?$/i;

/** Matches programs in the other languages that Vercel supports for functions. */
const OTHER_PROGRAM = /\.(?:py|go|rb|rs|php)$/i;

/** Matches the code of functions for other platforms. */
const FUNCTION =
  /\bexport\s+default\s+(?:async\s+)?(?:function\s*\w*\s*)?\(?\s*(?:req|request|context|event)\b|\bexport\s+default\s+(?:handle|handler|app|server)\b|\bmodule\.exports\s*=\s*(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*(?:req|request|event)\b|\bmodule\.exports\s*=\s*(?:handler|app|server)\b|\bexport\s+(?:const|(?:async\s+)?function)\s+(?:GET|POST|PUT|PATCH|DELETE|handler|onRequest\w*)\b|\bexports\.handler\s*=|\bVercelRequest\b/;

/**
 * Distinguishes Cloudflare's functions from svc's own functions, which are in a folder with the
 * same name.
 */
const PAGES_FUNCTION = /\bonRequest\w*\b/;

const CAN = "svc runs functions that rules call (docs/functions.md) and servers that listen";

/** Matches the names of files that can contain functions. */
export const FUNCTION_SOURCE = new RegExp(`(?:${SCRIPT.source}|${OTHER_PROGRAM.source})`);

/** Returns the line that makes a file a function, or `undefined` if the file is not a function. */
export function functionLine(folder: string, file: string, text: string): number | undefined {
  if (SCRIPT.test(file)) return lineOf(text, folder === "functions" ? PAGES_FUNCTION : FUNCTION);
  return folder === "api" && OTHER_PROGRAM.test(file) ? 1 : undefined;
}

/** Finds the first few functions for other platforms in a project. */
export async function findFunctionSigns(project: ProjectReader): Promise<readonly ProjectSign[]> {
  const found: ProjectSign[] = [];
  for (const { folder, platform } of FUNCTION_FOLDERS) {
    const files = await project.list?.(folder) ?? [];
    for (const path of files.slice(0, MAX_READ)) {
      const file = `${folder}/${path}`;
      const text = await project.readText(file);
      const line = text === undefined ? undefined : functionLine(folder, file, text);
      if (line === undefined) continue;
      found.push({ kind: "function", file, line, seen: `is a ${platform} function`, can: CAN });
      if (found.length === MAX_NAMED) return found;
    }
  }
  return found;
}

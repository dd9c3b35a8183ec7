/** @module Decides whether a build's files are a single-page app. */
import { join } from "node:path/posix";
import { stripComments, textProperty } from "../frameworks/config_text.ts";
import { findFramework } from "../frameworks/frameworks.ts";
import type { BuiltOutput, FoundFiles } from "../frameworks/types.ts";
import { isPage } from "./server_signs.ts";

/** The page that React Router writes for all other paths if it prerenders some paths. */
const NAMED_FALLBACK = "__spa-fallback.html";

/**
 * Folders from which frameworks copy files unchanged. A page in such a folder is not a page of the
 * app.
 */
const COPIED_FOLDERS = ["public", "static", "src"] as const;

async function isCopied({ project }: BuiltOutput, path: string): Promise<boolean> {
  for (const folder of COPIED_FOLDERS) {
    if (await project.exists(`${folder}/${path}`)) return true;
  }
  return false;
}

/** Returns whether Vite's config builds several pages instead of a single-page app. */
async function isSeveralPages({ project }: BuiltOutput): Promise<boolean> {
  for (const path of findFramework("vite")?.configFiles ?? []) {
    const text = await project.readText(path);
    if (text === undefined) continue;
    return /^(?:mpa|custom)$/.test(textProperty(stripComments(text), "appType") ?? "");
  }
  return false;
}

/**
 * Returns the only page, which serves all paths, or `undefined` if the build created several pages
 * or none.
 */
async function singlePage(output: BuiltOutput): Promise<string | undefined> {
  if (output.paths.includes(NAMED_FALLBACK)) return NAMED_FALLBACK;
  const built: string[] = [];
  for (const path of output.paths.filter(isPage)) {
    if (path === "index.html" || !await isCopied(output, path)) built.push(path);
    if (built.length > 1) return undefined;
  }
  const [page] = built;
  return page !== undefined && /(?:^|\/)index\.html$/.test(page) ? page : undefined;
}

/**
 * Returns the files, with a fallback page for documents if a single-page framework built exactly
 * one page. A site with a `404.html` defines the response for unknown paths itself.
 */
export async function withSinglePage(
  found: FoundFiles,
  { framework, folder }: {
    readonly framework: string | undefined;
    /** The published files, as an output. */
    readonly folder: BuiltOutput;
  },
): Promise<FoundFiles> {
  const isApp = findFramework(framework)?.isSinglePage === true;
  if (!isApp || await isSeveralPages(folder) || folder.paths.includes("404.html")) return found;
  const page = await singlePage(folder);
  return page === undefined ? found : { ...found, fallback: join(found.directory, page) };
}

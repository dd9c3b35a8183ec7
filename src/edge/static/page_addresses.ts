/** @module Finds the file for a path, and the file's URL. Each page has one URL. */
import type { PageUrls } from "../../lib/page_urls.ts";

const HTML = ".html";
const INDEX = "/index.html";

/** Whether a table has a file at a normalized path. */
export type HasFile = (path: string) => boolean;

/** The settings that determine the URLs of a site's pages. */
export type AddressRules = Readonly<
  Required<{ [Key in keyof PageUrls]: NonNullable<PageUrls[Key]> }>
>;

/** Fills in the defaults. */
export function addressRules(
  { trailingSlash, cleanUrls, ignoreCase }: PageUrls = {},
): AddressRules {
  return {
    trailingSlash: trailingSlash ?? "auto",
    cleanUrls: cleanUrls ?? true,
    ignoreCase: ignoreCase ?? false,
  };
}

/**
 * Returns the path of the file that a requested path refers to: the file itself, `<path>.html`, or
 * `<path>/index.html`. With a trailing slash, the folder's page takes precedence.
 */
export function nameFile(path: string, has: HasFile): string | undefined {
  if (!path.endsWith("/")) {
    if (has(path)) return path;
    if (has(path + HTML)) return path + HTML;
    return has(path + INDEX) ? path + INDEX : undefined;
  }
  const page = path.slice(0, -1);
  if (has(page + INDEX)) return page + INDEX;
  return page !== "" && has(page + HTML) ? page + HTML : undefined;
}

/** Returns the path that the settings give a page, unless another file has that path. */
function wantedAddress(file: string, { trailingSlash, cleanUrls }: AddressRules): string {
  if (!file.endsWith(HTML)) return file;
  if (file.endsWith(INDEX)) {
    const folder = file.slice(0, -INDEX.length);
    return folder === "" || trailingSlash !== "never" ? `${folder}/` : folder;
  }
  const stem = file.slice(0, -HTML.length);
  if (!cleanUrls || stem.endsWith("/")) return file;
  return trailingSlash === "always" ? `${stem}/` : stem;
}

/**
 * Returns the path at which a file is served. If a page's short path would refer to a different
 * file, the page is served under its file name. Therefore, no page redirects to a path that
 * redirects again.
 */
export function addressOf(file: string, has: HasFile, rules: AddressRules): string {
  const wanted = wantedAddress(file, rules);
  return wanted === file || nameFile(wanted, has) === file ? wanted : file;
}

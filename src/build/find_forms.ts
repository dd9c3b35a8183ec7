/** @module Finds forms in the HTML of an output that submit to `/_svc/forms/<name>`. */
import pMap from "p-map";
import type { Position } from "../lib/diagnostic.ts";
import type { OutputContent } from "./hash_files.ts";

/** Maximum size of a page to search, in bytes. */
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
/** Maximum number of pages to search. */
const MAX_PAGES = 20_000;
const CONCURRENCY = 16;

const MARK = "_svc/forms/";
/** Matches the parts of a page that are not markup. */
const INERT = /<!--[\s\S]*?-->|<(script|style|textarea)\b[\s\S]*?<\/\1\s*>/gi;
const FORM_TAG = /<form\b(?:"[^"]*"|'[^']*'|[^'">])*>/gi;
const ACTION = /^(?:\.{0,2}\/)*_svc\/forms\/([^?#]*)/;

export interface FoundForm {
  readonly name: string;
  /** Path of the page in the output. */
  readonly page: string;
  /** The text of the page. */
  readonly source: string;
  readonly position: Position;
  /** True if the form's method is POST. */
  readonly isPost: boolean;
}

function attribute(tag: string, name: string): string | undefined {
  const [, double, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag) ?? [];
  return (double ?? single ?? bare)?.trim();
}

function formsIn(page: string, source: string): FoundForm[] {
  if (!source.includes(MARK)) return [];
  // Replacing the text with spaces preserves line numbers and positions.
  const markup = source.replace(INERT, (text) => text.replace(/[^\n]/g, " "));
  const found: FoundForm[] = [];
  for (const { 0: tag, index } of markup.matchAll(FORM_TAG)) {
    const name = ACTION.exec(attribute(tag, "action") ?? "")?.[1];
    if (name === undefined) continue;
    const before = markup.slice(0, index).split("\n");
    found.push({
      name,
      page,
      source,
      position: { line: before.length, column: before.at(-1)!.length + 1 },
      isPost: attribute(tag, "method")?.toLowerCase() === "post",
    });
  }
  return found;
}

/** Finds the forms in all pages of an output, sorted by path. */
export async function findForms(files: readonly OutputContent[]): Promise<FoundForm[]> {
  const pages = files
    .filter(({ path, size }) => /\.html?$/i.test(path) && size <= MAX_PAGE_BYTES)
    .sort((one, other) => one.path < other.path ? -1 : 1)
    .slice(0, MAX_PAGES);
  const found = await pMap(pages, async ({ path, content }) => {
    const bytes = typeof content === "string" ? await Deno.readFile(content) : content;
    return formsIn(path, new TextDecoder().decode(bytes));
  }, { concurrency: CONCURRENCY });
  return found.flat();
}

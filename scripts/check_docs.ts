/**
 * Holds the documents to what they say of files: every link leads to one, and
 * every decision has its date and stands in the index.
 *
 * @module
 */
import { dirname, join, normalize } from "node:path";
import type { TextFile } from "./check_lengths.ts";

const LINK = /\]\(([^)\s#]+)(?:#[^)]*)?\)/g;
const DECISIONS = "docs/decisions/";
const INDEX = `${DECISIONS}README.md`;

function brokenLinks({ path, text }: TextFile, exists: (path: string) => boolean): string[] {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(LINK)].flatMap(([, link]) => {
      if (link === undefined || /^[a-z]+:|^\//.test(link)) return [];
      const target = normalize(join(dirname(path), decodeURI(link)));
      if (exists(target)) return [];
      return `${path}:${index + 1}: Link leads to ${target}, which does not exist: mend the link`;
    })
  );
}

/** In links such as [`Capability`](../src/platform/core/capability.ts). */
const SYMBOL_LINK = /\[`([A-Za-z_]\w*)(?:\(\))?`\]\(([^)\s#]+\.tsx?)\)/g;

function goneSymbols({ path, text }: TextFile, source: (path: string) => string | undefined) {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(SYMBOL_LINK)].flatMap(([, symbol, link]) => {
      const target = normalize(join(dirname(path), link!));
      const code = source(target);
      if (code === undefined || new RegExp(`\\b${symbol}\\b`).test(code)) return [];
      return `${path}:${index + 1}: ${target} has no ${symbol}: mend the link, or its name`;
    })
  );
}

function undated({ path, text }: TextFile): string[] {
  if (!path.startsWith(DECISIONS) || path === INDEX) return [];
  if (/^# .+\n\n\d{4}-\d\d-\d\d\n/.test(text)) return [];
  return [`${path}:3: A decision has its date (YYYY-MM-DD) on a line of its own below the title`];
}

function unlisted({ path }: TextFile, index: string): string[] {
  if (!path.startsWith(DECISIONS) || path === INDEX) return [];
  const name = path.slice(DECISIONS.length);
  return index.includes(`](${name})`) ? [] : [`${INDEX}: ${name} is missing: add it to the table`];
}

/**
 * Finds links that lead nowhere or to a file without the named symbol, and
 * decisions without a date or a place in the index.
 */
export function findDocProblems(
  documents: readonly TextFile[],
  { exists, source }: {
    readonly exists: (path: string) => boolean;
    /** The text of a source file; `undefined` where there is none. */
    readonly source: (path: string) => string | undefined;
  },
): string[] {
  const index = documents.find(({ path }) => path === INDEX)?.text ?? "";
  return documents.flatMap((document) => [
    ...brokenLinks(document, exists),
    ...goneSymbols(document, source),
    ...undated(document),
    ...unlisted(document, index),
  ]);
}

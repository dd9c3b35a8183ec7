/**
 * Checks the links in documents: each must point to a file and, if it has a fragment, to a heading
 * in that file. Every decision needs a status and a date, and the index must list every topic.
 *
 * @module
 */
import { dirname, join, normalize } from "node:path";
import type { TextFile } from "./check_lengths.ts";

const LINK = /\]\(([^)\s#]*)(?:#([^)]*))?\)/g;
const DECISIONS = "docs/decisions/";
const INDEX = `${DECISIONS}README.md`;

/** Returns the anchors of the headings in `text`, as GitHub generates them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => title!);
  return new Set(
    titles.map((title) =>
      title.toLowerCase().replace(/\]\([^)]*\)/g, "").replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-")
    ),
  );
}

function brokenLinks(
  { path, text }: TextFile,
  documents: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): string[] {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(LINK)].flatMap(([, link, anchor]) => {
      if (link === undefined || /^[a-z]+:|^\//.test(link)) return [];
      const target = link === "" ? path : normalize(join(dirname(path), decodeURI(link)));
      const place = `${path}:${index + 1}`;
      if (!exists(target)) {
        return `${place}: Link points to ${target}, which does not exist: fix the link`;
      }
      const linked = documents.get(target);
      if (anchor === undefined || linked === undefined || anchorsOf(linked).has(anchor)) return [];
      return `${place}: ${target} has no heading #${anchor}: fix the link`;
    })
  );
}

/** Matches links such as [`Capability`](../src/platform/core/capability.ts). */
const SYMBOL_LINK = /\[`([A-Za-z_]\w*)(?:\(\))?`\]\(([^)\s#]+\.tsx?)\)/g;

function goneSymbols({ path, text }: TextFile, source: (path: string) => string | undefined) {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(SYMBOL_LINK)].flatMap(([, symbol, link]) => {
      const target = normalize(join(dirname(path), link!));
      const code = source(target);
      if (code === undefined || new RegExp(`\\b${symbol}\\b`).test(code)) return [];
      return `${path}:${index + 1}: ${target} has no ${symbol}: fix the link or its text`;
    })
  );
}

/** A line such as `_In effect since 2026-11-26. Supersedes "…" from 2026-11-22._`. */
const STATUS = /^_(?:In effect|Superseded) since \d{4}-\d\d-\d\d\..*_$/;

function withoutStatus({ path, text }: TextFile): string[] {
  if (!path.startsWith(DECISIONS) || path === INDEX) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (!line.startsWith("## ") || STATUS.test(lines[index + 2] ?? "")) return [];
    return `${path}:${index + 3}: Write "_In effect since YYYY-MM-DD._" below the heading`;
  });
}

function unlisted({ path }: TextFile, index: string): string[] {
  if (!path.startsWith(DECISIONS) || path === INDEX) return [];
  const name = path.slice(DECISIONS.length);
  return index.includes(`](${name})`) ? [] : [`${INDEX}: ${name} is missing: add it to the table`];
}

/**
 * Finds links whose file, heading or symbol does not exist, decisions without a status, and topics
 * that are missing from the index of decisions.
 */
export function findDocProblems(
  documents: readonly TextFile[],
  { exists, source }: {
    readonly exists: (path: string) => boolean;
    /** Returns the text of a source file, or `undefined` if the file does not exist. */
    readonly source: (path: string) => string | undefined;
  },
): string[] {
  const texts = new Map(documents.map(({ path, text }) => [path, text]));
  return documents.flatMap((document) => [
    ...brokenLinks(document, texts, exists),
    ...goneSymbols(document, source),
    ...withoutStatus(document),
    ...unlisted(document, texts.get(INDEX) ?? ""),
  ]);
}

/** @module Full-text search in the sections of all documents. */
import MiniSearch from "minisearch";
import type { Library } from "../../documents/library.ts";
import { pagePath } from "../../documents/places.ts";
import { readLibrary } from "../../documents/read_library.ts";
import { nextTurn } from "../../lib/next_turn.ts";
import { renderMarkdown } from "./render_markdown.ts";

/** A section of a document that matches a search. */
export interface FoundSection {
  readonly href: string;
  /** The document's title. */
  readonly title: string;
  /** The section's heading, or the document's title for the text before the first heading. */
  readonly heading: string;
  /** The text around the first match. */
  readonly excerpt: string;
  /** The matching words in the documents. */
  readonly words: readonly string[];
}

interface IndexedSection {
  readonly id: number;
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

const MAX_RESULTS = 20;
const EXCERPT = 160;

/** The characters that the renderer and its highlighter escape. */
const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  "#x27": "'",
};

const plainText = (html: string): string =>
  html.replace(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, "").replace(/<[^>]+>/g, " ")
    .replace(/&(lt|gt|amp|quot|#x27);/g, (_, name) => ENTITIES[name]!)
    .replace(/\s+/g, " ").trim();

async function sectionsOf({ documents }: Library): Promise<IndexedSection[]> {
  const sections: Omit<IndexedSection, "id">[] = [];
  for (const { name, title, text } of documents.values()) {
    // Yields to other work after each document, so requests to sites are not delayed.
    await nextTurn();
    const [intro = "", ...parts] = renderMarkdown(text).html.split(/(?=<h[23] id=")/);
    const path = pagePath(name);
    sections.push({ href: path, title, heading: title, text: plainText(intro) });
    for (const part of parts) {
      const [, id = "", heading = "", rest = ""] =
        /^<h[23] id="([^"]*)">([^]*?)<\/h[23]>([^]*)$/.exec(part) ?? [];
      const text = plainText(rest);
      sections.push({ href: `${path}#${id}`, title, heading: plainText(heading), text });
    }
  }
  return sections.map((section, id) => ({ ...section, id }));
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const near = Math.max(0, (found.length === 0 ? 0 : Math.min(...found)) - EXCERPT / 4);
  const start = near === 0 ? 0 : text.indexOf(" ", near) + 1;
  const part = text.slice(start, start + EXCERPT);
  return `${start > 0 ? "… " : ""}${part}${start + EXCERPT < text.length ? " …" : ""}`;
}

/** Builds the index and returns the function that searches it. */
export async function createSearch(
  library: Library,
): Promise<(query: string) => FoundSection[]> {
  const index = new MiniSearch<IndexedSection>({
    fields: ["title", "heading", "text"],
    storeFields: ["href", "title", "heading", "text"],
    searchOptions: {
      boost: { heading: 4, title: 2 },
      prefix: true,
      fuzzy: 0.1,
      combineWith: "AND",
    },
  });
  await index.addAllAsync(await sectionsOf(library));
  return (query) =>
    index.search(query).slice(0, MAX_RESULTS).map((result) => ({
      href: String(result.href),
      title: String(result.title),
      heading: String(result.heading),
      excerpt: excerptOf(String(result.text), result.terms),
      words: result.terms,
    }));
}

let searching: Promise<(query: string) => FoundSection[]> | undefined;

/** Searches the documentation, which is indexed when it is first searched. */
export async function searchDocuments(query: string): Promise<FoundSection[]> {
  searching ??= readLibrary().then(createSearch);
  return (await searching)(query);
}

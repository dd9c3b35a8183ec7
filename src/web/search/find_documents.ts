/**
 * The documents and their parts that a search finds by their titles. Pure.
 *
 * @module
 */
import type { Library } from "../../documents/library.ts";
import { pagePath } from "../../documents/places.ts";

/** A document, or a part of one, as a search shows it. */
export interface FoundDocument {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
}

/** Most documents that a search finds. */
const MOST = 10;

/** The documents whose title, description or headings contain a text, the titles first. */
export function findDocuments({ documents }: Pick<Library, "documents">, wanted: string) {
  const sought = wanted.toLowerCase();
  const contains = (text: string) => text.toLowerCase().includes(sought);
  const byTitle: FoundDocument[] = [];
  const byHeading: FoundDocument[] = [];
  for (const { name, title, about, text } of documents.values()) {
    const href = pagePath(name);
    if (contains(title) || contains(about)) {
      byTitle.push({ href, title, detail: about });
      continue;
    }
    const heading = [...text.matchAll(/^##+ (.+)$/gm)].find(([, heading]) => contains(heading!));
    if (heading !== undefined) byHeading.push({ href, title, detail: heading[1]! });
  }
  return [...byTitle, ...byHeading].slice(0, MOST);
}

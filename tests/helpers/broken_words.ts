/**
 * Finds words that a page breaks across two lines.
 *
 * @module
 */
import type { Page } from "playwright-core";

/** Text and layout as seen by a page's own script. */
interface TextNode {
  readonly data?: string;
}
interface BrowserElement {
  readonly childNodes: Iterable<TextNode>;
  checkVisibility(): boolean;
}

interface PageDocument {
  createRange(): {
    setStart(node: TextNode, at: number): void;
    setEnd(node: TextNode, at: number): void;
    getClientRects(): Iterable<{ readonly top: number }>;
  };
}

/**
 * Returns words that a line break splits although they would fit on one line on a phone. Log lines
 * can break anywhere, as in a terminal.
 */
export function brokenWords(page: Page): Promise<string[]> {
  return page.locator("a:not(.log a), .mono, .dots > *").evaluateAll((elements) => {
    const { document } = globalThis as unknown as { document: PageDocument };
    const found = new Set<string>();
    const words = /(?<![\w%])[\w%]{2,20}(?![\w%])/g;
    const read = (node: TextNode): void => {
      for (const { 0: word, index } of (node.data ?? "").matchAll(words)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
        if (new Set(tops).size > 1) found.add(word);
      }
    };
    for (const element of elements as unknown as BrowserElement[]) {
      if (!element.checkVisibility()) continue;
      for (const node of element.childNodes) read(node);
    }
    return [...found];
  });
}

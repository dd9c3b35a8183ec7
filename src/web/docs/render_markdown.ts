/**
 * Markdown as HTML: no HTML of its own, no pictures, and links only where a document may lead.
 *
 * @module
 */
import MarkdownIt from "markdown-it";
import { placeOf } from "../../documents/places.ts";

/** The name of a heading in links, as git hosts make it. */
function slugOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
}

/** Makes slugs of one page, each once. */
function slugs(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

function makeRenderer() {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  // Links are judged where they are rendered: what leads nowhere stays as its text.
  markdown.validateLink = () => true;
  const { rules } = markdown.renderer;
  const { escapeHtml } = markdown.utils;
  rules.image = (tokens, index) => escapeHtml(tokens[index]!.content);
  rules.table_open = () => `<div class="wide" tabindex="0"><table>\n`;
  rules.table_close = () => "</table></div>\n";
  const code = (text: string): string =>
    `<pre class="terminal" tabindex="0">${escapeHtml(text)}</pre>\n`;
  rules.fence = (tokens, index) => code(tokens[index]!.content);
  rules.code_block = (tokens, index) => code(tokens[index]!.content);
  markdown.core.ruler.push("headings", ({ tokens }) => {
    const slug = slugs();
    tokens.forEach((token, index) => {
      // The policy of pages refuses styles, which align the cells of a table.
      if (token.type === "th_open" || token.type === "td_open") token.attrs = null;
      if (token.type !== "heading_open") return;
      const parts = tokens[index + 1]?.children ?? [];
      token.attrSet("id", slug(parts.map(({ content }) => content).join("")));
    });
  });
  markdown.core.ruler.push("places", ({ tokens }) => {
    for (const { children } of tokens) {
      const kept: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const place = placeOf(String(token.attrGet("href") ?? ""));
          kept.push(place !== undefined);
          token.hidden = place === undefined;
          token.attrs = place === undefined ? null : [["href", place]];
          if (place?.startsWith("https:")) token.attrSet("rel", "noopener noreferrer");
        } else if (token.type === "link_close") {
          token.hidden = kept.pop() === false;
        }
      }
    }
  });
  return markdown;
}

const RENDERER = makeRenderer();

/** Renders a document. */
export const renderMarkdown = (text: string): string => RENDERER.render(text);

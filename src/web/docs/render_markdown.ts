/**
 * @module Converts Markdown to HTML. Drops any HTML, pictures and unchecked links in the source.
 */
import MarkdownIt from "markdown-it";
import { placeOf } from "../../documents/places.ts";
import { highlightCode } from "./highlight_code.ts";

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

interface RenderedDocument {
  readonly html: string;
  /** Second- and third-level headings, for the table of contents. */
  readonly headings: readonly Heading[];
}

/** Returns a heading's slug, which links use, in the same format as on git hosts. */
function slugOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
}

/** Creates unique slugs for the headings of one page. */
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
  // Checks links when rendering them. A broken link becomes plain text.
  markdown.validateLink = () => true;
  const { rules } = markdown.renderer;
  const { escapeHtml } = markdown.utils;
  rules.image = (tokens, index) => escapeHtml(tokens[index]!.content);
  rules.table_open = () => `<div class="wide" tabindex="0"><table>\n`;
  rules.table_close = () => "</table></div>\n";
  const code = (text: string, info: string): string => {
    // The file name, if the code fence has one.
    const file = info.split(/\s+/).find((part) => part.includes("."));
    const caption = file === undefined ? "" : `<p class="file">${escapeHtml(file)}</p>\n`;
    return `${caption}<pre class="terminal" tabindex="0">${highlightCode(text, info)}</pre>\n`;
  };
  rules.fence = (tokens, index) => code(tokens[index]!.content, tokens[index]!.info);
  rules.code_block = (tokens, index) => code(tokens[index]!.content, "");
  markdown.core.ruler.push("headings", ({ tokens, env }) => {
    const slug = slugs();
    tokens.forEach((token, index) => {
      // Removes the attributes that align cells with inline styles, because the pages' content
      // security policy blocks those styles.
      if (token.type === "th_open" || token.type === "td_open") token.attrs = null;
      if (token.type !== "heading_open") return;
      const text = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join("");
      const id = slug(text);
      token.attrSet("id", id);
      const level = Number(token.tag.slice(1));
      if (level === 2 || level === 3) (env.headings as Heading[]).push({ level, id, text });
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

export function renderMarkdown(text: string): RenderedDocument {
  const headings: Heading[] = [];
  return { html: RENDERER.render(text, { headings }), headings };
}

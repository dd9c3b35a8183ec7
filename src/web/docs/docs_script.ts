/**
 * @module The script for documentation pages: copy buttons, heading links, and a key that opens the
 * search.
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "../layout/asset.ts";
import { COPY_SCRIPT } from "../layout/copy_script.ts";
import { PAGE_POLICY } from "../layout/document.tsx";
import { PALETTE_OPENER } from "../layout/palette_script.ts";

const SCRIPT = `"use strict";${COPY_SCRIPT}
{
${PALETTE_OPENER}
const search = document.querySelector("[data-search]");
document.addEventListener("keydown", (event) => {
  if (!isSearchKey(event)) return;
  event.preventDefault();
  openPalette(search);
});
search.addEventListener("mousedown", (event) => {
  if (event.target.tagName !== "INPUT") return;
  event.preventDefault();
  openPalette(search);
});
for (const heading of document.querySelectorAll(".prose :is(h2, h3, h4)[id]")) {
  const link = document.createElement("a");
  link.className = "anchor";
  link.href = "#" + heading.id;
  link.setAttribute("aria-label", "Link to " + heading.textContent);
  heading.append(link);
}
/* Marks the current section in the table of contents. */
const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
const parts = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
const markPart = () => {
  const here = parts.findLast((part) => part.getBoundingClientRect().top < 96) ?? parts[0];
  for (const [id, link] of links) {
    if (id !== here?.id) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "true");
      link.scrollIntoView({ block: "nearest" });
    }
  }
};
if (parts.length > 0) {
  markPart();
  document.addEventListener("scroll", markPart, { passive: true });
}
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const DOCS_SCRIPT_PATH = `/assets/docs-${sha256Hex(SCRIPT).slice(0, 16)}.js`;

/**
 * The content security policy that lets documentation pages run our scripts and search the
 * documentation.
 */
export const DOCS_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

export const showDocsScript = makeAsset("text/javascript; charset=utf-8", () => SCRIPT);

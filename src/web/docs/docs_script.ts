/**
 * The script of documents: buttons that copy code, and a key that opens the search. Pages show
 * everything without it.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "../layout/asset.ts";
import { PAGE_POLICY } from "../layout/document.tsx";

const SCRIPT = `"use strict";
{
/* Of a terminal session, only the commands. */
const codeOf = (block) => {
  const text = block.textContent;
  const lines = text.split("\\n");
  if (!lines.some((line) => line.startsWith("$ "))) return text.trimEnd();
  return lines.filter((line) => /^[$>] /.test(line)).map((line) => line.slice(2)).join("\\n");
};
for (const block of document.querySelectorAll("main pre.terminal")) {
  const frame = document.createElement("div");
  frame.className = "copyable";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(codeOf(block));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}
document.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey || target.closest("input, textarea")) return;
  event.preventDefault();
  document.getElementById("q")?.select();
});
}
`;

/** Named after its content, so that browsers can cache it for good. */
export const DOCS_SCRIPT_PATH = `/assets/docs-${sha256Hex(SCRIPT).slice(0, 16)}.js`;

/** Pages of the documentation may run this script, and make no requests. */
export const DOCS_POLICY = `${PAGE_POLICY}; script-src 'self'`;

export const showDocsScript = makeAsset("text/javascript; charset=utf-8", () => SCRIPT);

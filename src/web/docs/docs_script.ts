/**
 * The script of documents: buttons that copy code, and a key that opens the search. Pages show
 * everything without it.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "../layout/asset.ts";
import { COPY_SCRIPT } from "../layout/copy_script.ts";
import { PAGE_POLICY } from "../layout/document.tsx";

const SCRIPT = `"use strict";${COPY_SCRIPT}
{
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

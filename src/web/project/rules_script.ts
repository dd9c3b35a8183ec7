/** @module The script for the rules editor: line numbers and their markers. */
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "../layout/asset.ts";

const EDITOR = `"use strict";
/* Inside a block, because all scripts on a page share one scope. */
{
const text = document.getElementById("toml");
const gutter = document.getElementById("gutter");
if (text !== null && gutter !== null) {
  const number = () => {
    const marks = new Map();
    for (const { dataset } of document.querySelectorAll("#findings li[data-line]")) {
      if (marks.get(dataset.line) !== "error") marks.set(dataset.line, dataset.severity);
    }
    const lines = Math.max(text.value.split("\\n").length, text.rows);
    gutter.replaceChildren(...Array.from({ length: lines }, (_, index) => {
      const line = document.createElement("span");
      line.className = marks.get(String(index + 1)) ?? "";
      line.textContent = index + 1 + "\\n";
      return line;
    }));
    gutter.scrollTop = text.scrollTop;
  };
  text.addEventListener("input", number);
  text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; });
  document.addEventListener("htmx:after:swap", number);
  document.addEventListener("click", (event) => {
    const way = event.target.closest("#findings a[data-line]");
    if (way === null) return;
    event.preventDefault();
    const before = text.value.split("\\n").slice(0, Number(way.dataset.line) - 1);
    const from = before.reduce((sum, line) => sum + line.length + 1, 0);
    const end = text.value.indexOf("\\n", from);
    text.focus();
    text.setSelectionRange(from, end === -1 ? text.value.length : end);
    text.scrollTop = Math.max(0, before.length - 5) * text.scrollHeight / text.value.split("\\n").length;
  });
  number();
}
}
`;

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const RULES_SCRIPT_PATH = `/assets/rules-${sha256Hex(EDITOR).slice(0, 16)}.js`;

export const showRulesScript = makeAsset("text/javascript; charset=utf-8", () => EDITOR);

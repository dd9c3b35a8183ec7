/** @module Converts code in documents to HTML, with classes for colors. */
// @ts-types="./highlight_types.d.ts"
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import ini from "highlight.js/lib/languages/ini";
import json from "highlight.js/lib/languages/json";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** Languages by name in code fences. */
const LANGUAGES = { sh: bash, toml: ini, json, js: typescript, ts: typescript, html: xml, yaml };

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Renders a terminal session so that commands look different from their output. */
function highlightConsole(code: string): string {
  return code.split("\n").map((line) => {
    const [, prompt, command] = /^([$>] )(.*)$/.exec(line) ?? [];
    return command === undefined
      ? escapeHtml(line)
      : `<span class="hljs-meta">${escapeHtml(prompt!)}</span><b>${escapeHtml(command)}</b>`;
  }).join("\n");
}

/** Highlights code. If the language is unknown, just escapes the text. */
export function highlightCode(code: string, info: string): string {
  const language = info.split(/\s/)[0]!;
  if (language === "console") return highlightConsole(code);
  return Object.hasOwn(LANGUAGES, language)
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : escapeHtml(code);
}

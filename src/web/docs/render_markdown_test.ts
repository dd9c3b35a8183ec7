import assert from "node:assert/strict";
import fc from "fast-check";
import { renderMarkdown } from "./render_markdown.ts";

Deno.test("renderMarkdown() gives headings the IDs that links use", () => {
  const { html, headings } = renderMarkdown(
    "# `svc env` & [more](rules.md)\n\n## A part\n\n### `A` part\n\n## A part\n\n#### Deep\n",
  );
  assert.match(html, /<h1 id="svc-env--more">/);
  assert.match(html, /<h2 id="a-part">[^]*<h3 id="a-part-1">[^]*<h2 id="a-part-2">/);
  assert.deepEqual(headings, [
    { level: 2, id: "a-part", text: "A part" },
    { level: 3, id: "a-part-1", text: "A part" },
    { level: 2, id: "a-part-2", text: "A part" },
  ]);
});

Deno.test("renderMarkdown() escapes HTML, and replaces pictures and disallowed links with their text", () => {
  const rows: Readonly<Record<string, string>> = {
    "<script>alert(1)</script>": "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n",
    "a <b onclick=x>b</b>": "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n",
    "[a](javascript:alert(1))": "<p>a</p>\n",
    "[a](JaVaScRiPt&#58;alert(1))": "<p>a</p>\n",
    "[a](data:text/html;base64,AAAA)": "<p>a</p>\n",
    "<javascript:alert(1)>": "<p>javascript:alert(1)</p>\n",
    '[a](rules.md "x\\" onclick=\\"y")': '<p><a href="/docs/rules">a</a></p>\n',
    "![<b>](https://example.com/a.png)": "<p>&lt;b&gt;</p>\n",
    "[a]: javascript:alert(1)\n\n[a]": "<p>a</p>\n",
    "```<img src=x>\n</pre><script>\n```":
      '<pre class="terminal" tabindex="0">&lt;/pre&gt;&lt;script&gt;\n</pre>\n',
    "[a **b**](../src/x.ts) [c](kv.md)": '<p>a <strong>b</strong> <a href="/docs/kv">c</a></p>\n',
    "[a](https://example.com/)":
      '<p><a href="https://example.com/" rel="noopener noreferrer">a</a></p>\n',
  };
  for (const [text, html] of Object.entries(rows)) {
    assert.equal(renderMarkdown(text).html, html, text);
  }
});

Deno.test("renderMarkdown() highlights code on the server", () => {
  const rows: Readonly<Record<string, RegExp>> = {
    "```sh\nexport A=1 # why\n```": /<span class="hljs-comment"># why<\/span>/,
    '```toml\n[project]\nname = "<b>"\n```':
      /<span class="hljs-string">&quot;&lt;b&gt;&quot;<\/span>/,
    "```ts functions/<a>.ts\nconst a = 1;\n```":
      /^<p class="file">functions\/&lt;a&gt;\.ts<\/p>\n<pre[^]*<span class="hljs-keyword">const<\/span>/,
    "```console\n$ svc <x>\nout <y>\n```": /<b>svc &lt;x&gt;<\/b>\nout &lt;y&gt;/,
    "```unknown\n<x>\n```": /tabindex="0">&lt;x&gt;\n<\/pre>/,
  };
  for (const [text, pattern] of Object.entries(rows)) {
    assert.match(renderMarkdown(text).html, pattern, text);
  }
});

/** All allowed tags, each with its attributes. */
const TAG =
  /^<(?:\/?(?:p|h[1-6]|em|strong|s|code|ul|ol|li|blockquote|hr|br|thead|tbody|tr|table)|\/(?:a|pre|div|t[hd])|h[1-6] id="[^"<>]*"|ol start="\d+"|t[hd]|\/?b|\/span|span class="hljs-[a-z_ -]+"|a href="(?:\/docs\/|#|https:\/\/)[^"<>]*"(?: rel="noopener noreferrer")?|pre class="terminal" tabindex="0"|p class="file"|div class="wide" tabindex="0")>$/;

Deno.test("renderMarkdown() never creates other tags or attributes", () => {
  const piece = fc.constantFrom(
    ..."<>\"'`[]()!#*_-|\\&;:\n ".split(""),
    "<script>",
    "<img src=x onerror=y>",
    "javascript:",
    "](",
    "![",
    "```\n",
    "```sh\n",
    "```html\n",
    "```toml\n",
    "```console\n$ ",
    "\n\n",
    "| a | b |\n",
    "|:-:|---|\n",
    "&#60;",
    "&quot;",
    "https://example.com/",
    "rules.md",
    "a",
    "# ",
    "> ",
    "- ",
    "    ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { html } = renderMarkdown(pieces.join(""));
      for (const [tag] of html.matchAll(/<[^>]*>?/g)) assert.match(tag, TAG, html);
    }),
    { numRuns: 2000 },
  );
});

import assert from "node:assert/strict";
import type { BuiltOutput } from "../frameworks/types.ts";
import { findServerSign } from "./server_signs.ts";

type Texts = Readonly<Record<string, string>>;

function outputOf(files: Texts, project: Texts, directory: string): BuiltOutput {
  const read = (texts: Texts) => (path: string) => Promise.resolve(texts[path]);
  return {
    directory,
    paths: Object.keys(files).sort(),
    readText: read(files),
    project: {
      readText: read(project),
      exists: (path) => Promise.resolve(path in project),
    },
  };
}

const SERVER = 'import { createServer } from "node:http"; createServer(f).listen(80);';
const pack = (facts: unknown) => JSON.stringify(facts);

interface Row {
  readonly files: Texts;
  readonly project?: Texts;
  readonly directory?: string;
  readonly seen: RegExp;
  readonly entry: string | undefined;
}

const SERVERS: Readonly<Record<string, Row>> = {
  "a server bundle alone": {
    files: { "index.js": SERVER },
    seen: /index\.js starts an HTTP server/,
    entry: "index.js",
  },
  "a server next to a page": {
    files: { "index.html": "", "server.js": SERVER, "app.js": "" },
    seen: /server\.js starts/,
    entry: "server.js",
  },
  "server/ next to client/": {
    files: { "client/a.js": "", "server/server.js": "run()", "server/assets/b.js": "" },
    seen: /server\/ has code, next to client\//,
    entry: "server/server.js",
  },
  "server/ next to client/ with a page": {
    files: { "index.html": "", "client/a.js": "", "server/entry.mjs": "run()" },
    seen: /server\/ has code/,
    entry: "server/entry.mjs",
  },
  "a file that the project's start script runs": {
    files: { "index.html": "", "main.js": "start()" },
    project: { "package.json": pack({ scripts: { start: "node dist/main.js" } }) },
    seen: /script "start" in package\.json runs main\.js/,
    entry: "main.js",
  },
  "a project file that a start script runs": {
    files: { "index.html": "", "run.js": "import('./app.js')", "app.js": "go()" },
    project: { "package.json": pack({ scripts: { start: "node run.js" } }) },
    directory: ".",
    seen: /script "start" in package\.json runs run\.js/,
    entry: "run.js",
  },
  "a file that a script for production runs": {
    files: { "run.js": "listen()" },
    project: { "package.json": pack({ scripts: { "start:production": "node run.js" } }) },
    directory: ".",
    seen: /script "start:production" in package\.json runs run\.js/,
    entry: "run.js",
  },
  "a file that its own package.json runs": {
    files: { "package.json": pack({ scripts: { start: "node boot.js" } }), "boot.js": "go()" },
    seen: /runs boot\.js/,
    entry: "boot.js",
  },
  "a worker for another platform next to pages": {
    files: {
      "index.html": "",
      "_worker.js": "export default { fetch(r) { return new Response(); } };",
    },
    seen: /_worker\.js exports a fetch handler/,
    entry: "_worker.js",
  },
  "a function for another platform next to pages": {
    files: { "index.html": "", "api/hello.js": "export default function handler(req, res) {}" },
    seen: /api\/hello\.js is another platform's function/,
    entry: undefined,
  },
  "code without a page": {
    files: { "chunks/a.js": "1", "boot.mjs": "1" },
    seen: /no page such as index\.html, but it has code: boot\.mjs/,
    entry: "boot.mjs",
  },
  ...Object.fromEntries(
    ["app.py", "app.pl", "Main.kt", "src/App.scala", "Sources/main.swift", "app.gleam", "config.ru"]
      .map((path) => [`${path} without a page`, {
        files: { [path]: "", "README.md": "" },
        seen: new RegExp(`but it has code: ${path}$`),
        entry: undefined,
      }]),
  ),
};

for (
  const [name, { files, project = {}, directory = "dist", seen, entry }] of Object.entries(SERVERS)
) {
  Deno.test(`findServerSign() sees ${name}`, async () => {
    const sign = await findServerSign(outputOf(files, project, directory));
    assert.match(sign?.seen ?? "nothing", seen);
    assert.equal(sign?.entry, entry);
  });
}

const SITES: Readonly<Record<string, { readonly files: Texts; readonly project?: Texts }>> = {
  "a page with scripts": {
    files: {
      "index.html": "",
      "assets/index-BP8o6.js": SERVER,
      "sw.js": "self.addEventListener('fetch', f)",
    },
  },
  "pages without an index": { files: { "docs/a.html": "", "docs/a.js": "" } },
  "only an error page": { files: { "404.html": "", "app.js": "" } },
  "images": { files: { "a.png": "", "data.json": "{}" } },
  "static folders named server and client": {
    files: { "index.html": "", "server/index.html": "", "client/index.html": "" },
  },
  "documentation of a server": {
    files: {
      "index.html": "",
      "server/index.html": "",
      "server/search.js": "",
      "static/a.css": "",
    },
  },
  "a site whose start script runs a preview server": {
    files: { "index.html": "", "app.js": "" },
    project: { "package.json": pack({ scripts: { start: "vite preview" } }) },
  },
};

for (const [name, { files, project = {} }] of Object.entries(SITES)) {
  Deno.test(`findServerSign() sees nothing in ${name}`, async () => {
    assert.equal(await findServerSign(outputOf(files, project, "dist")), undefined);
  });
}

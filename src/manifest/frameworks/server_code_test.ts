import assert from "node:assert/strict";
import { serverCode } from "./server_code.ts";

const SERVERS: Readonly<Record<string, readonly [text: string, seen: RegExp]>> = {
  "node:http": [
    'import { createServer } from "node:http";\ncreateServer(() => {}).listen(process.env.PORT);',
    /starts an HTTP server/,
  ],
  "a minified require of http": [
    'const h=require("http");h.createServer(f).listen(3000)',
    /starts/,
  ],
  "Express": [
    'const express = require("express"); const app = express(); app.listen(3000);',
    /starts/,
  ],
  "Fastify": ["import Fastify from 'fastify'; await Fastify().listen({ port: 3000 });", /starts/],
  "Apollo Server, standalone": [
    'import { startStandaloneServer } from "@apollo/server/standalone";\n' +
    "await startStandaloneServer(server, { listen: { port: 4000 } });",
    /starts/,
  ],
  "Feathers": ['import { koa } from "@feathersjs/koa"; koa(feathers()).listen(3030);', /starts/],
  "Hono on Node": [
    'import { serve } from "@hono/node-server"; serve({ fetch: app.fetch });',
    /starts/,
  ],
  "Hono's app": [
    'import { Hono } from "hono";\nconst app = new Hono();\nexport default app\n',
    /Hono app/,
  ],
  "Hono from npm in Deno": [
    'import { Hono } from "npm:hono@^4.6";\nexport default app;',
    /Hono app/,
  ],
  "Deno.serve": ["Deno.serve({ port: 80 }, () => new Response());", /Deno\.serve/],
  "a fetch handler": [
    "export default {\n  async fetch(request) { return new Response(); },\n};",
    /fetch handler/,
  ],
  "a fetch handler next to a port": [
    "export default { port: 3000, fetch: app.fetch };",
    /fetch handler/,
  ],
  "Bun": ["Bun.serve({ fetch() {} });", /Bun\.serve/],
};

for (const [name, [text, seen]] of Object.entries(SERVERS)) {
  Deno.test(`serverCode() sees ${name}`, () => {
    assert.match(serverCode(text)?.seen ?? "nothing", seen);
  });
}

const CLIENTS: Readonly<Record<string, string>> = {
  "a history with a listener": 'import { history } from "./history.js"; history.listen(update);',
  "a service worker":
    'self.addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));',
  "a comment about a server": "// Deno.serve(handler)\nexport const a = 1;",
  "a component": 'import React from "react"; export default function App() { return null; }',
  "a client of an API": 'export default { async load() { return await fetch("/api"); } };\n',
};

for (const [name, text] of Object.entries(CLIENTS)) {
  Deno.test(`serverCode() sees no server in ${name}`, () => {
    assert.equal(serverCode(text), undefined);
  });
}

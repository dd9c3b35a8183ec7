/**
 * @module Finds signs of a server in a JavaScript or TypeScript file. The code is searched but
 * never run. Each sign is strong enough to reject the file as part of a static site.
 */
import { stripComments } from "./config_text.ts";

/** How the code in a file serves requests. */
export type Serving =
  /** The code listens by itself: `server.listen()`, `Deno.serve()`. */
  | "listens"
  /** The code exports an object with a `fetch` method, or an app that is such an object. */
  | "exports"
  /** The code exports an app that needs Node's own server. */
  | "app"
  /** The code uses APIs that only Bun has. */
  | "bun";

export interface ServerCode {
  readonly serving: Serving;
  /** The evidence, as a clause about the file: `calls Deno.serve()`. */
  readonly seen: string;
}

/** Packages and Node modules that create servers. */
const MAKERS = [
  "(?:node:)?https?",
  "(?:node:)?http2",
  "(?:node:)?net",
  "express",
  "fastify",
  "koa",
  "polka",
  "restify",
  "connect",
  "@hapi/hapi",
  "@nestjs/core",
  "@hono/node-server",
  "hono(?:/[\\w-]+)?",
  "h3",
  "srvx(?:/[\\w-]+)?",
  "elysia",
  "@elysiajs/node",
  "@trpc/server/adapters/[\\w-]+",
  "@apollo/server/standalone",
  "@feathersjs/(?:express|koa)",
  "socket\\.io",
  "ws",
].join("|");

/**
 * Matches imports of certain modules, as in `import … from "http"`, `import "http"`,
 * `require("http")` and `import("http")`.
 */
export const importOf = (names: string) =>
  new RegExp(
    `(?:\\bfrom\\s*|\\bimport\\s*\\(?\\s*|\\brequire\\(\\s*)["'\`](?:npm:)?(?:${names})(?:@[\\w.^~-]+)?["'\`]`,
  );

const MAKES_SERVERS = importOf(MAKERS);
const HONO = importOf("(?:jsr:@hono/)?hono(?:/[\\w-]+)?");
const BUN = importOf("bun");

const DENO_SERVES = /\bDeno\.(?:serve|listen)\s*\(/;
const CALLS_DENO = "calls Deno.serve()";

const LISTENS = /\.listen\s*\(|\b(?:serve|startStandaloneServer)\s*\(/;
const EXPORTS_FETCH = /\bexport\s+default\s*\{(?:[^{}]|\{[^{}]*\}){0,2000}?\bfetch\s*[(:,}]/;
/** Packages whose app is served if a module exports it. */
const APPS: readonly (readonly [name: string, imported: RegExp])[] = [
  "express",
  "fastify",
  "koa",
  "h3",
  "polka",
  "connect",
  "elysia",
]
  .map((name) => [name, importOf(name)]);
const EXPORTS_APP =
  /\bexport\s+default\s+\w+\s*(?:;|$)|\bexport\s*\{[^}]*\bas\s+default\b|\bmodule\.exports\s*=\s*\w+\s*(?:;|$)|^\s*export\s*=\s*\w+/m;

const DENO_SPECIFIER =
  /(?:\bfrom\s*|\bimport\s*\(?\s*)["'`]((?:npm|jsr):\/?(?:@[\w.-]+\/)?[\w.-]+)/;

/**
 * Returns, as a clause, the evidence that a server is written for Deno, or `undefined` if there is
 * none.
 */
export function denoSign(source: string): string | undefined {
  const text = stripComments(source);
  if (DENO_SERVES.test(text)) return CALLS_DENO;
  const [, specifier] = DENO_SPECIFIER.exec(text) ?? [];
  return specifier === undefined ? undefined : `imports "${specifier}"`;
}

/** Finds evidence of a server in code. Returns `undefined` if there is none. */
export function serverCode(source: string): ServerCode | undefined {
  const text = stripComments(source);
  if (/\bBun\.(?:serve|listen)\s*\(/.test(text)) {
    return { serving: "bun", seen: "calls Bun.serve()" };
  }
  if (BUN.test(text)) return { serving: "bun", seen: 'imports "bun"' };
  if (DENO_SERVES.test(text)) return { serving: "listens", seen: CALLS_DENO };
  const makes = MAKES_SERVERS.test(text);
  if (makes && LISTENS.test(text)) return { serving: "listens", seen: "starts an HTTP server" };
  if (EXPORTS_FETCH.test(text)) {
    return { serving: "exports", seen: "exports a fetch handler" };
  }
  if (HONO.test(text) && EXPORTS_APP.test(text)) {
    return { serving: "exports", seen: "exports a Hono app" };
  }
  const app = APPS.find(([, imported]) => imported.test(text));
  return app !== undefined && EXPORTS_APP.test(text)
    ? { serving: "app", seen: `exports an app created with ${app[0]}` }
    : undefined;
}

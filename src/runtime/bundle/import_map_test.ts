import assert from "node:assert/strict";
import { mapSpecifier, nodeSpecifier } from "./import_map.ts";

const IMPORTS = {
  hono: "npm:hono@^4.6",
  "@std/": "jsr:/@std/",
  "~/": "./src/",
  "~/lib/": "./lib/",
};

const ROWS: Readonly<Record<string, string>> = {
  "hono": "npm:hono@^4.6",
  "hono/jsx": "npm:hono@^4.6/jsx",
  "honor": "honor",
  "@std/http": "jsr:/@std/http",
  "~/a.ts": "./src/a.ts",
  "~/lib/b.ts": "./lib/b.ts",
  "node:http": "node:http",
};

for (const [specifier, expected] of Object.entries(ROWS)) {
  Deno.test(`mapSpecifier() maps ${specifier}`, () => {
    assert.equal(mapSpecifier(specifier, IMPORTS), expected);
  });
}

const NPM: Readonly<Record<string, string>> = {
  "npm:hono": "hono",
  "npm:hono@^4.6/jsx": "hono/jsx",
  "npm:@hono/zod-validator@0.4": "@hono/zod-validator",
  "npm:/preact@10/hooks": "preact/hooks",
  "jsr:@std/http": "jsr:@std/http",
  "preact": "preact",
};

for (const [specifier, expected] of Object.entries(NPM)) {
  Deno.test(`nodeSpecifier() reads ${specifier}`, () => {
    assert.equal(nodeSpecifier(specifier), expected);
  });
}

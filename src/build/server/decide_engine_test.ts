import assert from "node:assert/strict";
import { decideEngine, type EngineFacts } from "./decide_engine.ts";

const NODE_PROJECT: EngineFacts = {
  configured: undefined,
  written: undefined,
  forDeno: false,
  isFound: true,
  hasPackageJson: true,
  hasDenoJson: false,
  entry: undefined,
};

const OWN_MANIFEST = { isFound: false, entry: "export default { fetch() {} };" };

const ROWS: Readonly<Record<string, readonly [Partial<EngineFacts>, string]>> = {
  "a Node project": [{}, "node: the project has a package.json"],
  "a Node server without package.json": [
    { hasPackageJson: false },
    "node: it uses Node APIs",
  ],
  "svc.toml over the project and the manifest": [
    { configured: "deno", written: "node" },
    "deno: svc.toml sets build.runtime",
  ],
  "svc.toml over a server for Deno": [
    { configured: "node", forDeno: true },
    "node: svc.toml sets build.runtime",
  ],
  "the manifest over the project": [{ written: "deno" }, "deno: its manifest sets the engine"],
  "a server for Deno": [{ forDeno: true }, "deno: it uses Deno APIs"],
  "a framework in a Deno project": [
    { hasPackageJson: false, hasDenoJson: true },
    "deno: the project has a deno.json and no package.json",
  ],
  "package.json over deno.json": [{ hasDenoJson: true }, "node: the project has a package.json"],
  "a manifest of a Node project": [OWN_MANIFEST, "node: the project has a package.json"],
  "a manifest without a project": [
    { ...OWN_MANIFEST, hasPackageJson: false },
    "deno: its manifest sets no engine",
  ],
  "a manifest whose entry calls Deno.serve()": [
    { ...OWN_MANIFEST, entry: "Deno.serve(() => new Response());" },
    "deno: its entry calls Deno.serve()",
  ],
  "a manifest whose entry imports from npm": [
    { ...OWN_MANIFEST, entry: 'import { Hono } from "npm:hono@4";' },
    'deno: its entry imports "npm:hono"',
  ],
};

for (const [name, [facts, expected]] of Object.entries(ROWS)) {
  Deno.test(`decideEngine() follows ${name}`, () => {
    const { engine, reason } = decideEngine({ ...NODE_PROJECT, ...facts });
    assert.equal(`${engine}: ${reason}`, expected);
  });
}

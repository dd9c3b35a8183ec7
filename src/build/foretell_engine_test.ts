import assert from "node:assert/strict";
import { parseProjectConfig } from "../config/mod.ts";
import { detectProject, type Engine } from "../manifest/mod.ts";
import { withTestProject } from "./_test_project.ts";
import { createFolderReader } from "./folder_reader.ts";
import { foretellEngine } from "./foretell_engine.ts";
import { assembleProject } from "./pack_project.ts";

type Texts = Readonly<Record<string, string>>;

const pack = (dependencies: Texts, scripts: Texts) =>
  JSON.stringify({ type: "module", private: true, dependencies, scripts });

const SERVER = 'import { createServer } from "node:http";\ncreateServer().listen(80);\n';

/** A package that loads view engines as Express does. */
const EXPRESS: Texts = {
  "node_modules/express/package.json": '{"name":"express","version":"5.1.0"}',
  "node_modules/express/index.js":
    "module.exports = () => ({ listen() {}, view: (name) => require(name) });",
};

const EXPRESS_SERVER: Texts = {
  "package.json": pack({ express: "5.1.0" }, { start: "node server.js" }),
  "server.js": 'import express from "express";\nexpress().listen(80);\n',
};

interface Row {
  readonly name: string;
  readonly files: Texts;
  readonly toml?: string;
  readonly engine: Engine | undefined;
  readonly reason?: RegExp;
}

const DECIDED: readonly Row[] = [
  {
    name: "Express with its packages",
    files: { ...EXPRESS_SERVER, ...EXPRESS },
    engine: "node",
    reason: /"express" loads modules by computed names/,
  },
  {
    name: "a server without packages",
    files: { "package.json": pack({}, { start: "node server.js" }), "server.js": SERVER },
    engine: "deno",
    reason: /bundled/,
  },
  {
    name: "a server that svc.toml puts on Node",
    files: { "package.json": pack({}, { start: "node server.js" }), "server.js": SERVER },
    toml: '[build]\nruntime = "node"\n',
    engine: "node",
    reason: /svc\.toml/,
  },
  {
    name: "a server for Deno",
    files: { "main.ts": "Deno.serve(() => new Response());" },
    engine: "deno",
    reason: /written for Deno/,
  },
];

const OPEN: readonly Row[] = [
  { name: "a project without its packages", files: EXPRESS_SERVER, engine: undefined },
  {
    name: "a project without its build",
    files: {
      "package.json": pack({}, { build: "tsc", start: "node dist/server.js" }),
      "node_modules/.package-lock.json": "{}",
    },
    engine: undefined,
  },
  {
    name: "a server that no deploy could bundle",
    files: {
      "package.json": pack({}, { start: "node server.js" }),
      "server.js": `import "./missing.js";\n${SERVER}`,
    },
    engine: undefined,
  },
  { name: "a project without a server", files: { "index.html": "" }, engine: undefined },
];

for (const { name, files, toml = "", engine, reason } of [...DECIDED, ...OPEN]) {
  Deno.test(`foretellEngine() says ${engine ?? "nothing"} of ${name}, as its deploy`, async () => {
    await withTestProject(files, async ({ host, project }) => {
      const { config } = parseProjectConfig(toml);
      const detected = await detectProject(createFolderReader(project));
      const { cacheDir, signal } = host;
      const told = await foretellEngine({ directory: project, config, detected, cacheDir, signal });
      assert.equal(told?.engine, engine);
      if (engine === undefined) return;
      assert.match(told!.reason, reason!);
      const { servers } = await assembleProject(host, { directory: project, config });
      assert.deepEqual(servers.map((server) => [server.engine, server.reason]), [
        [engine, told!.reason],
      ]);
    });
  });
}

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleServerEntry, type ServerBundleOptions } from "./bundle_server.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

type Files = Readonly<Record<string, string>>;

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}

const ENTRY = "server/entry.mjs";

function bundle(project: string, more: Partial<ServerBundleOptions> = {}) {
  const root = join(project, "dist");
  return bundleServerEntry({ root, entry: ENTRY, cacheDir: "/nonexistent", ...more });
}

/** Bundles `dist/server/entry.mjs` and loads it as deployed: alone, in another folder. */
async function load(
  project: string,
  more: Partial<ServerBundleOptions> = {},
): Promise<{ readonly module: Record<string, unknown>; readonly deployed: string }> {
  const result = await bundle(project, more);
  assert.ok(result.ok, JSON.stringify(result));
  const deployed = join(project, "deployed");
  const path = join(deployed, ENTRY);
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeFile(path, result.bundle.source);
  return { module: await import(pathToFileURL(path).href), deployed };
}

/** Each row: a project's files, and what its server exports as `default`. */
const RUNNING: Readonly<Record<string, readonly [Files, unknown]>> = {
  "a CommonJS package, JSON, and a computed name": [{
    "dist/server/entry.mjs": 'import kept from "kept"; export default kept;',
    "node_modules/kept/package.json": '{"name":"kept","main":"index.js"}',
    "node_modules/kept/index.js": 'const path = require(["pa", "th"].join(""));\n' +
      'exports.two = require("./data.json").two; exports.base = path.basename("/a/b");',
    "node_modules/kept/data.json": '{"two":2}',
  }, { two: 2, base: "b" }],
  "chunks that are imported later": [{
    "dist/server/entry.mjs": 'export default await import("./chunks/a.mjs").then((a) => a.name);',
    "dist/server/chunks/a.mjs": 'export const name = "chunk";',
  }, "chunk"],
  "the namespace of a module that is imported later": [{
    "dist/server/entry.mjs": 'const a = await import("./a.mjs");\n' +
      "export default [a[Symbol.toStringTag], Object.keys(a)];",
    "dist/server/a.mjs": "export const name = 1; export default 2;",
  }, ["Module", ["default", "name"]]],
  "Node's modules without their prefix": [{
    "dist/server/entry.mjs": 'import { sep } from "path"; export default sep;',
  }, "/"],
  "an author's variable named `require`": [{
    "dist/server/entry.mjs": 'import { createRequire } from "node:module";\n' +
      'const require = createRequire(import.meta.url); export default require("node:path").sep;',
  }, "/"],
  "packages that the author's own `require` loads": [{
    "dist/server/entry.mjs": 'import { createRequire } from "node:module";\n' +
      "const require = createRequire(import.meta.url);\n" +
      'const late = () => require("kept");\n' +
      'export default [late(), require("../../package.json").name, require("node:path").sep];',
    "package.json": '{"name":"site"}',
    "node_modules/kept/package.json": '{"name":"kept","main":"index.js"}',
    "node_modules/kept/index.js": 'module.exports = "kept";',
  }, ["kept", "site", "/"]],
  "an optional package that is not installed": [{
    "dist/server/entry.mjs":
      'let found = "none"; try { await import("absent"); } catch (error) { found = error.code; }\n' +
      "export default found;",
  }, "MODULE_NOT_FOUND"],
  "a native addon that is needed later": [{
    "dist/server/entry.mjs":
      'export default await import("./image.mjs").then(() => "loaded", ({ message }) => message);',
    "dist/server/image.mjs": 'import sharp from "sharp"; export const x = sharp;',
  }, `Package "sharp" has a native addon, which a deployment's sandbox cannot load`],
};

for (const [name, [files, expected]] of Object.entries(RUNNING)) {
  Deno.test(`bundleServerEntry() creates a module that runs with ${name}`, async () => {
    await inTestFolder(async (project) => {
      await writeFiles(project, files);
      const { module } = await load(project);
      assert.deepEqual(module.default, expected);
    });
  });
}

Deno.test("bundleServerEntry() keeps the original path of each module", async () => {
  await inTestFolder(async (project) => {
    await writeFiles(project, {
      "dist/server/entry.mjs": 'export { place as chunk } from "./chunks/a b.mjs";\n' +
        'export { default as cjs } from "kept"; export const own = import.meta.url;',
      "dist/server/chunks/a b.mjs": "export const place = import.meta.dirname;",
      "node_modules/kept/lib/index.js": 'module.exports = [__dirname, __filename, "./x.wasm"];',
      "node_modules/kept/lib/x.wasm": "wasm",
      "node_modules/kept/package.json": '{"name":"kept","main":"lib/index.js"}',
    });
    const { module, deployed } = await load(project);
    const server = join(deployed, "server");
    assert.equal(module.own, pathToFileURL(join(server, "entry.mjs")).href);
    assert.equal(module.chunk, join(server, "chunks"));
    const lib = join(server, "node_modules/kept/lib");
    assert.deepEqual(module.cjs, [lib, join(lib, "index.js"), "./x.wasm"]);
    const result = await bundle(project);
    assert.deepEqual(result.ok && result.bundle.assets, [{
      path: "server/node_modules/kept/lib/x.wasm",
      absolutePath: join(project, "node_modules/kept/lib/x.wasm"),
    }]);
  });
});

Deno.test("bundleServerEntry() runs prelude and wrapper around the entry", async () => {
  await inTestFolder(async (project) => {
    await writeFiles(project, {
      "dist/server/entry.mjs": "export const seen = globalThis.svcPrelude;",
    });
    const { module } = await load(project, {
      prelude: 'globalThis.svcPrelude = "first";',
      wrapper: 'import { seen } from "./entry.mjs"; export default `${seen}, then wrapped`;',
    });
    assert.equal(module.default, "first, then wrapped");
  });
});

Deno.test("bundleServerEntry() hides Deno from a server that was built for Node", async () => {
  await inTestFolder(async (project) => {
    await writeFiles(project, {
      "dist/server/entry.mjs": "export default [import.meta.dirname, 'Deno' in globalThis];",
    });
    assert.deepEqual((await load(project)).module.default, [
      join(project, "deployed/server"),
      true,
    ]);
    const result = await bundle(project, { forNode: true });
    assert.ok(result.ok);
    assert.match(new TextDecoder().decode(result.bundle.source), /\[__svc_dirname, false\]/);
  });
});

Deno.test("bundleServerEntry() reports the bundled and the missing files", async () => {
  await inTestFolder(async (project) => {
    await writeFiles(project, {
      "dist/server/entry.mjs": 'import "./a.mjs"; export const late = () => import("absent");',
      "dist/server/a.mjs": "console;",
      "dist/server/other.mjs": "console;",
    });
    const result = await bundle(project);
    assert.ok(result.ok);
    const { inputs, missing, native } = result.bundle;
    assert.ok(inputs.has(join(project, "dist/server/a.mjs")));
    assert.ok(!inputs.has(join(project, "dist/server/other.mjs")));
    assert.deepEqual([missing, native], [["absent"], []]);
  });
});

Deno.test("bundleServerEntry() recommends installing missing packages", async () => {
  await inTestFolder(async (project) => {
    await writeFiles(project, {
      "dist/server/entry.mjs": 'import "@scope/name/deep"; import "./a";',
    });
    const result = await bundle(project);
    assert.ok(!result.ok);
    assert.deepEqual(result.problems.map(({ hint }) => hint), [
      'Install "@scope/name": the server imports it',
      "Run the build again: a server file is missing",
    ]);
  });
});

/** Each row: a project's files, and why its server should run on Node. */
const NEEDS: Readonly<Record<string, readonly [Files, readonly string[]]>> = {
  "none if names are computed only in omitted code": [{
    "dist/server/entry.mjs": 'import { used } from "./a.mjs"; export default used;',
    "dist/server/a.mjs": 'export { other } from "./b.mjs"; export const used = 1;',
    "dist/server/b.mjs": "export const other = (name) => import(name);",
  }, []],
  "a package that requires by computed names": [{
    "dist/server/entry.mjs": 'import views from "views"; export default views;',
    "node_modules/views/package.json": '{"name":"views","main":"index.js"}',
    "node_modules/views/index.js": "module.exports = (engine) => require(engine);",
  }, ["computed views"]],
  "the project's modules that import by computed names": [{
    "dist/server/entry.mjs": 'export default (name) => import(name + ".js");',
  }, ["computed server/entry.mjs"]],
  "a require function that is passed on": [{
    "dist/server/entry.mjs": 'import { createRequire } from "node:module";\n' +
      "export default createRequire(import.meta.url);",
  }, ["computed server/entry.mjs"]],
  "threads": [{
    "dist/server/entry.mjs": 'import { Worker } from "node:worker_threads";\n' +
      'export default () => new Worker(new URL("./thread.mjs", import.meta.url));',
  }, ["worker server/entry.mjs"]],
  "none for SvelteKit, which hides an import of Node's own modules": [{
    "dist/server/entry.mjs": "var obfuscated_import = (module_name) => import(\nmodule_name);\n" +
      'export default () => obfuscated_import("node:fs");',
  }, []],
  "none for React Router, which loads modules of routes in browsers": [{
    "dist/server/entry.mjs": 'import load from "react-router"; export default load;',
    "node_modules/react-router/package.json": '{"name":"react-router","main":"index.mjs"}',
    "node_modules/react-router/index.mjs": "export default (route) => import(route.module);",
  }, []],
};

for (const [name, [files, expected]] of Object.entries(NEEDS)) {
  Deno.test(`bundleServerEntry() reports needs: ${name}`, async () => {
    await inTestFolder(async (project) => {
      await writeFiles(project, files);
      const result = await bundle(project);
      assert.ok(result.ok, JSON.stringify(result));
      assert.deepEqual(
        result.bundle.needs.map(({ kind, subject }) => `${kind} ${subject}`),
        expected,
      );
    });
  });
}

Deno.test("bundleServerEntry() includes files whose paths packages join at run time", async () => {
  await inTestFolder(async (project) => {
    await writeFiles(project, {
      "dist/server/entry.mjs": 'import words from "words"; export default words;',
      "node_modules/words/package.json": '{"name":"words","main":"lib/index.js"}',
      "node_modules/words/lib/index.js":
        'const { readFileSync } = require("fs"); const path = require("path");\n' +
        'module.exports = readFileSync(path.join(__dirname, "..", "data", "words.csv"), "utf8");',
      "node_modules/words/data/words.csv": "a,b",
    });
    const result = await bundle(project);
    assert.ok(result.ok);
    assert.deepEqual(result.bundle.assets, [{
      path: "server/node_modules/words/data/words.csv",
      absolutePath: join(project, "node_modules/words/data/words.csv"),
    }]);
    const data = join(project, "deployed/server/node_modules/words/data");
    await Deno.mkdir(data, { recursive: true });
    await Deno.writeTextFile(join(data, "words.csv"), "a,b");
    assert.equal((await load(project)).module.default, "a,b");
  });
});

/** Each row: a project's files, and the problems as `file code: message`. */
const REFUSED: Readonly<Record<string, readonly [Files, RegExp]>> = {
  "a missing package": [
    { "dist/server/entry.mjs": 'import "absent";' },
    /^server\/entry\.mjs import_missing: Could not resolve "absent"/,
  ],
  "a native addon at the start": [
    {
      "dist/server/entry.mjs": 'import "./db.mjs";',
      "dist/server/db.mjs": 'import Database from "better-sqlite3"; export default Database;',
    },
    /^server\/entry\.mjs native_addon: Server entry\.mjs loads "better-sqlite3" on start/,
  ],
  "an import from a URL": [
    { "dist/server/entry.mjs": 'import "jsr:@hono/hono";' },
    /^server\/entry\.mjs import_refused: A server cannot import from a URL: "jsr:@hono\/hono"/,
  ],
};

for (const [name, [files, expected]] of Object.entries(REFUSED)) {
  Deno.test(`bundleServerEntry() refuses ${name}`, async () => {
    await inTestFolder(async (project) => {
      await writeFiles(project, files);
      const result = await bundle(project);
      assert.ok(!result.ok);
      const [{ file, code, message } = assert.fail()] = result.problems;
      assert.match(`${file} ${code}: ${message}`, expected);
    });
  });
}

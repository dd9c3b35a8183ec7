import assert from "node:assert/strict";
import { type FoundServer, generateManifest, type Manifest } from "../../manifest/mod.ts";
import { type TestFiles, type TestProject, withTestProject } from "../_test_project.ts";
import type { OutputContent } from "../hash_files.ts";
import { surveyPlacements } from "../list_files.ts";
import { prepareServers } from "./prepare_servers.ts";
import type { ServerFacts, ServerSettings } from "./types.ts";

const FOUND: FoundServer = {
  type: "server",
  launch: {},
  directory: ".",
  entry: "server.js",
  clients: ["client"],
  placements: [{ from: "out", to: "." }, { from: "public", to: "client", optional: true }],
};

async function factsOf(
  project: string,
  { found = FOUND, settings = {} }: {
    readonly found?: FoundServer;
    readonly settings?: ServerSettings;
  },
): Promise<ServerFacts> {
  const listing = await surveyPlacements(project, found.placements ?? []);
  const paths = listing.files.map(({ path }) => path);
  const manifest = generateManifest(found, { paths, framework: undefined });
  return {
    projectRoot: project,
    workspaceRoot: project,
    hasLockFile: true,
    listing,
    manifest,
    found,
    settings,
  };
}

async function prepare(
  files: TestFiles,
  wanted: { readonly found?: FoundServer; readonly settings?: ServerSettings },
  run: (
    prepared: Awaited<ReturnType<typeof prepareServers>>,
    project: TestProject,
  ) => void | Promise<void>,
): Promise<void> {
  await withTestProject(files, async (made) => {
    const facts = await factsOf(made.project, wanted);
    await run(await prepareServers(made.host, facts), made);
  });
}

const computeLayer = ({ layers }: Manifest) => layers.find(({ target }) => target === "COMPUTE");

async function textOf(contents: readonly OutputContent[], path: string): Promise<string> {
  const found = contents.find((content) => content.path === path)?.content;
  assert.ok(found !== undefined, `${path} is not deployed`);
  return typeof found === "string"
    ? await Deno.readTextFile(found)
    : new TextDecoder().decode(found);
}

const STANDALONE = {
  "out/server.js": 'require("next")',
  "out/.next/BUILD_ID": "1",
  "out/node_modules/next": "-> .store/next@1/node_modules/next",
  "out/node_modules/.store/next@1/node_modules/next/index.js": "1",
  "out/node_modules/.store/next@1/node_modules/react": "-> ../../react@1/node_modules/react",
  "out/node_modules/.store/react@1/node_modules/react/index.js": "2",
  "out/node_modules/.store/gone": "-> nowhere",
  "out/node_modules/.bin/next": "#!/bin/sh",
  "out/node_modules/.cache/x": "",
  "public/robots.txt": "",
};

Deno.test("prepareServers() deploys packages that a framework traced, and keeps links as links", async () => {
  await prepare(STANDALONE, {}, async ({ contents, manifest, servers }) => {
    assert.deepEqual(contents.map(({ path }) => path), [
      ".next/BUILD_ID",
      ".svc/links.json",
      "client/robots.txt",
      "node_modules/.bin/next",
      "node_modules/.store/next@1/node_modules/next/index.js",
      "node_modules/.store/react@1/node_modules/react/index.js",
      "server.js",
    ]);
    assert.deepEqual(JSON.parse(await textOf(contents, ".svc/links.json")), {
      version: 1,
      links: {
        "node_modules/.store/next@1/node_modules/react": "../../react@1/node_modules/react",
        "node_modules/next": ".store/next@1/node_modules/next",
      },
    });
    const layer = computeLayer(manifest);
    assert.ok(layer?.target === "COMPUTE");
    assert.equal(layer.runtime?.engine, "node");
    assert.equal(servers[0]?.reason, "it uses Node APIs");
  });
});

Deno.test("prepareServers() includes the content of links that point outside a package", async () => {
  const files = {
    "out/server.js": "",
    "out/node_modules/a": "-> ../../elsewhere/a",
    "elsewhere/a/index.js": "a",
    "elsewhere/a/again": "-> .",
  };
  await prepare(files, { settings: { runtime: "node" } }, async ({ contents }) => {
    assert.equal(await textOf(contents, "node_modules/a/index.js"), "a");
    assert.ok(contents.every(({ path }) => !path.startsWith("node_modules/a/again/again")));
  });
});

Deno.test("prepareServers() starts a server on Node with a module next to its entry", async () => {
  const files = { "out/server.js": "" };
  const found = {
    ...FOUND,
    launch: { prelude: "globalThis.first = 1;", wrapper: (file: string) => `import "./${file}";` },
  };
  await prepare(files, { found, settings: { runtime: "node" } }, async ({ contents, manifest }) => {
    const layer = computeLayer(manifest);
    assert.ok(layer?.target === "COMPUTE");
    assert.equal(layer.entry, "svc-server.mjs");
    assert.equal(
      await textOf(contents, "svc-server.mjs"),
      'import "./svc-prelude.mjs";\nimport "./server.js";',
    );
    assert.equal(await textOf(contents, "svc-prelude.mjs"), "globalThis.first = 1;\n");
    assert.equal(await textOf(contents, "server.js"), "");
  });
});

Deno.test("prepareServers() writes the settings from svc.toml to the COMPUTE layers", async () => {
  const files = { "out/server.js": "export default { fetch: () => new Response() };" };
  const server = { healthPath: "/healthz", startTimeoutMs: 90_000 };
  const settings = { server, tmpMb: 128, nodeVersion: "24" };
  await prepare(files, { settings }, ({ manifest }) => {
    const layer = computeLayer(manifest);
    assert.ok(layer?.target === "COMPUTE");
    assert.deepEqual(layer.runtime, { engine: "node", nodeVersion: "24", tmpMb: 128, ...server });
  });
});

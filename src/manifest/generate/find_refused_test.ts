/** Tests projects with a server that cannot be deployed, and their messages. */
import assert from "node:assert/strict";
import { outputFilesOf } from "../output_files.ts";
import { validateManifest } from "../validate_manifest.ts";
import { inspect, pack, type Project } from "./_test_project.ts";

const REFUSED: Readonly<Record<string, readonly [Project, RegExp]>> = {
  "Qwik as scaffolded": [
    {
      files: {
        "package.json": pack(["@builder.io/qwik-city"], { build: "qwik build" }),
        "dist/build/q.js": "",
      },
    },
    /Add an adapter to Qwik.*npx qwik add express/,
  ],
  "Elysia without an adapter": [
    {
      files: {
        "package.json": pack(["elysia"], { start: "bun src/index.ts" }),
        "src/index.ts": 'import { Elysia } from "elysia"; new Elysia().listen(3000);',
      },
    },
    /Add the Node adapter to Elysia.*npm install @elysiajs\/node/,
  ],
  "a Bun server": [
    {
      files: {
        "package.json": pack([], { start: "bun server.ts" }),
        "server.ts": "Bun.serve({ fetch: () => new Response() });",
      },
    },
    /server\.ts calls Bun\.serve\(\), which needs Bun.*Deno\.serve\(\) or node:http/,
  ],
  "a worker with bindings": [
    {
      files: {
        "package.json": pack(["wrangler"]),
        "wrangler.toml": 'main = "src/index.ts"\n[[kv_namespaces]]\nbinding = "KV"\n',
        "src/index.ts": "",
      },
    },
    /wrangler\.toml sets kv_namespaces/,
  ],
  "TanStack Start for Cloudflare": [
    {
      files: {
        "package.json": pack(["@tanstack/react-start", "@cloudflare/vite-plugin"]),
        "vite.config.ts": 'import { cloudflare } from "@cloudflare/vite-plugin";',
        "dist/client/a.js": "",
      },
    },
    /Remove the plugin "@cloudflare\/vite-plugin".*Delete it from vite\.config\.ts/,
  ],
  "SolidStart for Cloudflare": [
    {
      files: {
        "package.json": pack(["@solidjs/start", "@cloudflare/vite-plugin", "vite"]),
        "vite.config.ts": 'import { cloudflare } from "@cloudflare/vite-plugin";',
        ".output/index.js": "",
      },
    },
    /Build SolidStart with Nitro.*npm install nitro.*plugins in vite\.config\.ts/,
  ],
  "Remix with its classic compiler": [
    {
      files: {
        "package.json": pack(["@remix-run/dev"]),
        "remix.config.js": "",
        "build/index.js": "",
      },
    },
    /Build Remix with Vite/,
  ],
  "React Router with server bundles": [
    {
      files: { "package.json": pack(["@react-router/dev"]), "build/server/a/index.js": "" },
    },
    /serverBundles/,
  ],
  "a server whose build did not run": [
    { files: { "package.json": pack(["express"], { build: "tsc", start: "node dist/index.js" }) } },
    /Cannot find dist\/index\.js, which script "start" runs/,
  ],
  "a server in an output": [
    {
      files: {
        "package.json": pack([], { build: "make" }),
        "dist/client/a.css": "",
        "dist/server/main.js": "export default { fetch: handle };",
      },
      directory: "dist",
    },
    /main\.js exports a fetch handler.*dist\/\.svc\/manifest\.json: \{"version":1,"layers":\[\{"name":"client","target":"STATIC","directory":"client"\},\{"name":"server","target":"COMPUTE","directory":"server","entry":"server\/main\.js"\}\].*static = true/,
  ],
};

for (const [name, [project, expected]] of Object.entries(REFUSED)) {
  Deno.test(`findBuilt() refuses ${name}`, async () => {
    const { found } = await inspect(project);
    assert.ok(found.type === "unusable", JSON.stringify(found));
    assert.match(`${found.message}. ${found.hint}`, expected);
  });
}

Deno.test("findBuilt() suggests a valid manifest for an output with a server", async () => {
  const { found } = await inspect(REFUSED["a server in an output"]![0]);
  assert.ok(found.type === "unusable");
  const manifest: unknown = JSON.parse(/(\{"version".*\});/.exec(found.hint ?? "")?.[1] ?? "");
  const checked = validateManifest(manifest, outputFilesOf(["client/a.css", "server/main.js"]));
  assert.equal(checked.ok, true, JSON.stringify(checked));
});

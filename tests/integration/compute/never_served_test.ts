/**
 * Checks that the files of servers are never served. Packs projects of all kinds as a deployment
 * does, and requests each file at every path that it could have.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type BuildHost, packProject } from "../../../src/build/mod.ts";
import { NODE_MAJOR } from "../../helpers/compute_server.ts";
import { createProject, deploy, type TestPlatform, withPlatform } from "../../helpers/platform.ts";

type Files = Readonly<Record<string, string>>;

/** Text that all server files contain and that no response may contain. */
const SECRET = "svc-secret";

const secret = `console.info("${SECRET}");\n`;
const listens = `${secret}import { createServer } from "node:http";
createServer((request, response) => response.end("server")).listen(process.env.PORT);\n`;
const handles = `${secret}export default { fetch: () => new Response("server") };\n`;

const pack = (
  dependencies: readonly string[],
  scripts: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, unknown>> = { type: "module" },
) =>
  JSON.stringify({
    ...more,
    engines: { node: NODE_MAJOR },
    description: SECRET,
    scripts,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, "1.0.0"])),
  });

/** Projects by name, with their public paths. */
const PROJECTS: Readonly<Record<string, { readonly files: Files; readonly open: Files }>> = {
  "Astro": {
    files: {
      "package.json": pack(["astro"]),
      "dist/client/a.css": "open",
      "dist/server/entry.mjs":
        `${secret}import "./chunks/b.mjs"; export const handler = (_, r) => r.end("server");`,
      "dist/server/chunks/b.mjs": secret,
      "dist/server/data.json": `"${SECRET}"`,
    },
    open: { "/a.css": "open" },
  },
  "SvelteKit": {
    files: {
      "package.json": pack(["@sveltejs/kit", "@sveltejs/adapter-node"]),
      "build/client/a.css": "open",
      "build/index.js": listens,
      "build/handler.js": secret,
      "build/server/manifest.js": secret,
    },
    open: { "/a.css": "open" },
  },
  "Nitro": {
    files: {
      "package.json": pack(["nitro"]),
      ".output/nitro.json": `{"preset":"node-server","x":"${SECRET}"}`,
      ".output/public/a.css": "open",
      ".output/server/index.mjs": listens,
      ".output/server/chunks/b.mjs": secret,
    },
    open: { "/a.css": "open" },
  },
  "React Router": {
    files: {
      "package.json": pack(["@react-router/dev"]),
      "node_modules/react-router/package.json": '{"type":"module","main":"index.js"}',
      "node_modules/react-router/index.js":
        'export const createRequestHandler = () => () => new Response("server");',
      "build/client/a.css": "open",
      "build/server/index.js": `${secret}export const routes = {};`,
      "build/server/assets/b.css": SECRET,
    },
    open: { "/a.css": "open" },
  },
  "TanStack Start": {
    files: {
      "package.json": pack(["@tanstack/react-start"]),
      "dist/client/a.css": "open",
      "dist/server/server.js": `import "./assets/router.js";\n${handles}`,
      "dist/server/assets/router.js": secret,
    },
    open: { "/a.css": "open" },
  },
  "Qwik City": {
    files: {
      "package.json": pack(["@builder.io/qwik-city"], { "build.server": "vite build" }),
      "dist/a.css": "open",
      "server/entry.express.js": listens,
      "server/q-plan.js": secret,
    },
    open: { "/a.css": "open" },
  },
  "Cloudflare Workers": {
    files: {
      "package.json": pack(["wrangler"]),
      "wrangler.toml": `main = "src/index.ts"\n# ${SECRET}\n[assets]\ndirectory = "./public"\n`,
      "src/index.ts": handles,
      "public/a.css": "open",
    },
    open: { "/a.css": "open" },
  },
  "a CommonJS server with its own files": {
    files: {
      "package.json": pack([], { start: "node bin/www" }, { type: "commonjs" }),
      "bin/www": `${secret}require("../app").listen(process.env.PORT);`,
      "app.js":
        `${secret}module.exports = require("http").createServer((q, r) => r.end("server"));`,
      "public/page.html": SECRET,
      "index.html": SECRET,
    },
    open: {},
  },
  "a server in TypeScript": {
    files: {
      "package.json": pack(["hono"], { dev: "bun run src/index.ts" }),
      "node_modules/hono/package.json": '{"type":"module","main":"index.js"}',
      "node_modules/hono/index.js":
        'export class Hono { fetch() { return new Response("server"); } }',
      "src/index.ts":
        `${secret}import { Hono } from "hono";\nconst app = new Hono();\nexport default app;\n`,
      "src/other.ts": secret,
    },
    open: {},
  },
  "a server for Deno": {
    files: {
      "deno.json": `{"tasks":{"start":"deno run -A main.ts"},"name":"@${SECRET}/x"}`,
      "main.ts": `${secret}import "./lib.ts";\nDeno.serve(() => new Response("server"));`,
      "lib.ts": secret,
      "static/page.html": SECRET,
    },
    open: {},
  },
};

/**
 * Returns every path at which a file could be requested, with all or some of its folders in the
 * path.
 */
function pathsOf(files: readonly string[]): string[] {
  const all = files.flatMap((path) => {
    const steps = path.split("/");
    return steps.map((_, at) => steps.slice(at).join("/"));
  });
  const bare = all.flatMap((path) => [path, path.replace(/(?:\/index)?\.html$/, "")]);
  return [...new Set(bare)].map((path) => `/${path}`);
}

/** Runs the test with a temporary project that has these files. Discards the build's messages. */
async function withProject(
  files: Files,
  run: (made: { readonly project: string; readonly host: BuildHost }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-never-" }));
  const project = join(folder, "project");
  const host: BuildHost = {
    say: () => {},
    warn: () => {},
    output: () => ({ write: () => {}, end: () => {} }),
    showPath: (path) => path,
    signal: new AbortController().signal,
    cacheDir: join(folder, "cache"),
    toolsDir: join(folder, "tools"),
    env: { PATH: Deno.env.get("PATH"), HOME: Deno.env.get("HOME") },
  };
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(project, path)), { recursive: true });
      await Deno.writeTextFile(join(project, path), text);
    }
    await run({ project, host });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Deploys a project and requests its server's private files. */
async function checkProject(
  platform: TestPlatform,
  name: string,
  { files, open }: typeof PROJECTS[string],
): Promise<void> {
  await withProject(files, async (made) => {
    const packed = await packProject(made.host, {
      directory: made.project,
      config: undefined,
      skipBuild: true,
    });
    const texts: Record<string, string> = {};
    for (const { path, content } of packed.files) {
      texts[path] = typeof content === "string"
        ? await Deno.readTextFile(content)
        : new TextDecoder().decode(content);
    }
    assert.ok(Object.values(texts).some((text) => text.includes(SECRET)));
    await createProject(platform, name);
    const deployed = await deploy(platform, name, {
      files: texts,
      manifest: packed.manifest,
      prod: true,
    });
    const { host } = new URL(deployed.urls.production);
    assert.equal((await platform.get(host, "/none")).text, "server");
    for (const path of pathsOf([...Object.keys(files), ...Object.keys(texts)])) {
      const { text } = await platform.get(host, encodeURI(path));
      assert.ok(!text.includes(SECRET), `${path} shows ${text.slice(0, 200)}`);
    }
    for (const [path, text] of Object.entries(open)) {
      assert.equal((await platform.get(host, path)).text, text);
    }
  });
}

Deno.test("no file of a server is served", (t) =>
  withPlatform(async (platform) => {
    for (const [index, [name, project]] of Object.entries(PROJECTS).entries()) {
      await t.step(name, () => checkProject(platform, `shop-${index}`, project));
    }
  }));

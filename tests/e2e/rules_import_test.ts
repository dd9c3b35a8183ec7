/**
 * Imports configuration files from other hosts with the CLI, deploys them, and tests them over
 * HTTP.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** A request with its expected status, headers and body. */
interface Row {
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

interface Site {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The files that one command imports. */
  readonly imports: readonly string[];
  /** The messages, including the reasons why entries are skipped. */
  readonly skipped: readonly RegExp[];
  readonly notes: readonly RegExp[];
  readonly rows: readonly Row[];
}

const page = (text: string) => `<!doctype html><title>${text}</title>`;
const to = (location: string) => ({ location });

const CLOUDFLARE: Site = {
  name: "pages",
  files: {
    "wrangler.toml": 'name = "pages"\n',
    "index.html": page("app"),
    "sub/a.html": page("a"),
    "_redirects":
      "/dl/:name.zip  /files/:name.zip  302\n/old/:id  /new/:id\n/*  /index.html  200\n",
    "_headers": "/*\n  X-Seen: all\n/sub/*\n  X-Seen: sub\n",
  },
  imports: ["_redirects", "_headers"],
  skipped: [
    /_redirects:1: skipped: The target uses .*, but a glob cannot capture part of a segment/,
  ],
  notes: [/_redirects:3: imported, but: .*fallback of a single-page app/],
  rows: [
    { path: "/sub/a", status: 200, headers: { "x-seen": "all, sub" }, body: page("a") },
    { path: "/", status: 200, headers: { "x-seen": "all" } },
    { path: "/deep/link", status: 200, body: page("app") },
    { path: "/dl/a.zip", status: 200, body: page("app") },
    { path: "/dl/:name.zip", status: 200, body: page("app") },
    { path: "/old/7", status: 302, headers: to("/new/7") },
  ],
};

const CACHE = "public, max-age=600";

const NETLIFY: Site = {
  name: "toml",
  files: {
    "index.html": page("home"),
    "a.jpg": "jpg",
    "b/c.jpg": "jpg",
    "a.png": "png",
    "One.html": page("One"),
    "one.html": page("one"),
    "posts/first.html": page("first"),
    "assets/a.js": "a",
    "netlify.toml": `[[headers]]
for = "/*.jpg"
[headers.values]
Cache-Control = "${CACHE}"

[[headers]]
for = "/One"
[headers.values]
X-One = "1"

[[headers]]
for = "/assets/*"
[headers.values]
Cache-Control = "public, max-age=31536000, immutable"
X-Asset = "1"

[[redirects]]
from = "/posts/*"
to = "/posts/:splat.html"
status = 200
force = true

[[redirects]]
from = "/api/*"
to = "/.netlify/functions/:splat"
status = 200
`,
  },
  imports: ["netlify.toml"],
  skipped: [/netlify\.toml:24: skipped: The target is a Netlify function/],
  notes: [/netlify\.toml:7: .*ignores the case/, /netlify\.toml:18: .*ends with a slash/],
  rows: [
    { path: "/a.jpg", status: 200, headers: { "cache-control": CACHE } },
    { path: "/b/c.jpg", status: 200, headers: { "cache-control": CACHE } },
    { path: "/One", status: 200, headers: { "x-one": "1" }, body: page("One") },
    { path: "/one", status: 200, headers: { "x-one": "1" }, body: page("one") },
    { path: "/one/", status: 308, headers: { "x-one": "1", ...to("/one") } },
    { path: "/", status: 200, headers: { "x-one": undefined } },
    {
      path: "/assets/a.js",
      status: 200,
      headers: { "cache-control": "public, max-age=31536000, immutable", "x-asset": "1" },
    },
    {
      path: "/assets/later.js",
      status: 404,
      headers: { "cache-control": "no-store", "x-asset": "1" },
    },
    { path: "/posts/first", status: 200, body: page("first") },
    { path: "/posts/", status: 404 },
    { path: "/posts", status: 404 },
  ],
};

const VERCEL: Site = {
  name: "json",
  files: {
    "index.html": page("app"),
    "projects.html": page("project"),
    "functions/echo.ts":
      "export default (request: Request) => { const { pathname, search } = new URL(request.url);" +
      " return new Response(pathname + search); };\n",
    "functions/feed.ts":
      "let count = 0;\nexport default () => new Response(`feed ${count += 1} ${Math.random()}`);\n",
    "svc.rules.toml": `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "feed"
condition.path = { type = "exact", value = "/feed" }
action = { type = "pipeline", steps = [{ handle = "feed" }] }

[[rules]]
id = "echo"
condition.path = { type = "glob", value = "/projects/8/**" }
action = { type = "pipeline", steps = [{ handle = "echo" }] }
`,
    "vercel.json": `{
  "rewrites": [
    { "source": "/projects/:id/edit", "destination": "/projects.html" },
    { "source": "/((?!api/).*)", "destination": "/index.html" }
  ],
  "redirects": [{ "source": "/e/:path*", "destination": "/f/:path*" }],
  "headers": [
    { "source": "/feed", "headers": [{ "key": "Cache-Control", "value": "s-maxage=60" }] }
  ],
  "trailingSlash": false
}
`,
  },
  imports: ["vercel.json"],
  skipped: [],
  notes: [],
  rows: [
    { path: "/projects/7/edit", status: 200, body: page("project") },
    { path: "/projects/8/edit", status: 200, body: "/projects.html?id=8" },
    { path: "/anything/else", status: 200, body: page("app") },
    { path: "/api", status: 200, body: page("app") },
    { path: "/api/x", status: 404 },
    { path: "/e", status: 308, headers: to("/f") },
    { path: "/e/a/b", status: 308, headers: to("/f/a/b") },
    {
      path: "/feed",
      status: 200,
      headers: { "x-svc-cache": "MISS", "cache-control": "public, max-age=0, must-revalidate" },
    },
    { path: "/feed", status: 200, headers: { "x-svc-cache": "HIT" } },
  ],
};

async function deployImported(box: Sandbox, { name, files, imports, ...site }: Site) {
  box.site = join(box.folder, name);
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(box.site, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
  await box.json(["init", "--create", "--name", name]);
  const { stderr } = await box.tool(["deploy", "--dry-run"]);
  const line = ["rules", "import", ...imports, "--output", "svc.rules.toml"];
  const proposed = [...stderr.matchAll(/svc (rules import .*)/g)].map(([, words]) => words);
  assert.deepEqual(proposed, [line.join(" ")], stderr);
  const run = await box.tool(line);
  assert.equal(run.code, 0, run.stderr);
  for (const line of [...site.skipped, ...site.notes]) assert.match(run.stderr, line);
  const said = run.stderr.split("\n").filter((line) => /: (?:skipped|imported, but): /.test(line));
  assert.equal(said.length, site.skipped.length + site.notes.length, run.stderr);
  await box.json(["deploy", "--prod"]);
}

Deno.test("imported rules behave as they did on their original host", async (t) => {
  await withSandbox(async (box) => {
    await box.start();
    for (const site of [CLOUDFLARE, NETLIFY, VERCEL]) {
      await deployImported(box, site);
      for (const { path, status, headers = {}, body } of site.rows) {
        await t.step(`${site.name}: ${path} is ${status}`, async () => {
          const answer = await box.page(`${site.name}.localhost`, path);
          assert.equal(answer.status, status, answer.text);
          for (const [field, value] of Object.entries(headers)) {
            assert.equal(answer.headers[field], value, field);
          }
          if (body !== undefined) assert.equal(answer.text, body);
        });
      }
    }
  });
});

import assert from "node:assert/strict";
import type { CommitFiles } from "../git/mod.ts";
import { commitReader, findApps } from "./find_apps.ts";

const commit = (texts: Readonly<Record<string, string>>): CommitFiles => ({
  paths: Object.keys(texts),
  readText: (path) => Promise.resolve(texts[path]),
});

const json = (value: unknown): string => JSON.stringify(value);

const ASTRO = json({ scripts: { build: "astro build" }, dependencies: { astro: "7.1.0" } });

const COMMITS: readonly [
  name: string,
  texts: Readonly<Record<string, string>>,
  apps: readonly (readonly [string | null, string | null, string | null])[],
][] = [
  ["a page", { "index.html": "<h1>Hi</h1>" }, [[null, "Static site", null]]],
  [
    "a folder with only a build script",
    { "site/package.json": json({ scripts: { build: "node build.mjs" } }) },
    [[null, null, null], ["site", "Build script", "npm run build"]],
  ],
  ["no known app", { "notes.txt": "x" }, [[null, null, null]]],
  ["a framework", { "package.json": ASTRO }, [[null, "Astro", "npm run build"]]],
  [
    "two apps of a workspace, without its library, packages and tests",
    {
      "package.json": json({ private: true, workspaces: ["apps/*", "packages/*"] }),
      "package-lock.json": "{}",
      "apps/web/package.json": ASTRO,
      "apps/landing/index.html": "<h1>Hi</h1>",
      "packages/tools/package.json": json({ name: "tools", scripts: { build: "tsc" } }),
      "node_modules/astro/index.html": "<h1>Hi</h1>",
      "tests/fixtures/page/index.html": "<h1>Hi</h1>",
    },
    [[null, null, null], ["apps/landing", "Static site", null], [
      "apps/web",
      "Astro",
      "npm run build",
    ]],
  ],
];

for (const [name, texts, expected] of COMMITS) {
  Deno.test(`findApps() finds ${name}`, async () => {
    const apps = await findApps(commit(texts));
    assert.deepEqual(
      apps.map(({ rootDirectory, kind, buildCommand }) => [rootDirectory, kind, buildCommand]),
      expected,
    );
  });
}

Deno.test("findApps() finds sites and servers without a package.json", async () => {
  const apps = await findApps(commit({
    "blog/hugo.toml": 'title = "Blog"',
    "notes/_config.yml": "title: Notes",
    "notes/_posts/one.md": "One",
    "tides/mix.exs": "app: :tides, {:bandit, 1}",
    "moon/pom.xml": "<project/>",
    "sun/Procfile": "web: ./serve",
  }));
  assert.deepEqual(apps.map(({ rootDirectory, kind }) => [rootDirectory, kind]), [
    [null, null],
    ["blog", "Hugo"],
    ["moon", "Java"],
    ["notes", "Jekyll"],
    ["sun", "Procfile"],
    ["tides", "Elixir"],
  ]);
});

Deno.test("commitReader() reads above its folder, but not above the repository", async () => {
  const reader = commitReader(commit({ "a.txt": "root", "apps/web/b.txt": "app" }), "apps/web");
  assert.equal(await reader.readText("b.txt"), "app");
  assert.equal(await reader.readText("../../a.txt"), "root");
  assert.equal(await reader.readText("../../../a.txt"), undefined);
  assert.equal(await reader.exists("../web"), true);
  assert.equal(await reader.exists("../../../.."), false);
});

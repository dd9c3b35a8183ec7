import assert from "node:assert/strict";
import { MAX_REVALIDATE_SECONDS } from "../limits.ts";
import { carryOut, patternOf, readNitroRules } from "./nitro_rules.ts";
import type { BuiltOutput } from "./types.ts";

/** The output of Nitro 2.13 for Nuxt, with normalized rules. */
const NITRO_2 = `const _inlineRuntimeConfig = {
  "app": { "baseURL": "/", "buildId": "1" },
  "nitro": {
    "envPrefix": "NUXT_",
    "routeRules": {
      "/__nuxt_error": { "cache": false },
      "/blog/**": { "isr": 60 },
      "/blog/live": { "isr": false },
      "/shop/*/item": { "isr": { "expiration": 5, "group": 1 } },
      "/forever": { "isr": true },
      "/swr/**": { "swr": 30, "cache": { "swr": true, "maxAge": 30 } },
      "/old/**": { "redirect": { "to": "/new/**", "statusCode": 307, "_redirectStripBase": "/old" } },
      "/px/**": { "proxy": { "to": "https://example.com/**" } },
      "/fonts/**": { "headers": { "x-font": "yes" } },
      "/_nuxt/**": { "headers": { "cache-control": "public, max-age=31536000, immutable" } }
    }
  },
  "public": {}
};
const envOptions = {};`;

const MINIFIED_2 =
  'const e={app:{baseURL:"/docs/"},nitro:{envPrefix:"NUXT_",routeRules:{"/blog/**":{isr:60},"/a":{isr:!0}}}};';

/** The output of Nitro 3: a lookup table with one object for each path. */
const NITRO_3 = `const findRouteRules = /* @__PURE__ */ (() => {
  const $0 = { route: "/old/**", rank: 0, rules: [{
    name: "redirect", route: "/old/**", handler: redirect, options: { "to": "/new/**", "status": 307 }
  }] }, $1 = { route: "/blog/**", rank: 0, rules: [{
    name: "isr",
    route: "/blog/**",
    options: 60
  }] }, $2 = { route: "/api/:id/x", rank: 0, rules: [{
    name: "cors", route: "/api/:id/x", handler: cors, options: {}
  }] };
  return (m, p) => [];
})();`;

const FILES = [
  "public/robots.txt",
  "public/old/a.html",
  "public/fonts/a.woff2",
  "public/index.html",
];

function outputOf(texts: Readonly<Record<string, string>>): BuiltOutput {
  return {
    directory: "/project/.output",
    paths: [...FILES, ...Object.keys(texts)],
    readText: (path) => Promise.resolve(texts[path]),
    project: { readText: () => Promise.resolve(undefined), exists: () => Promise.resolve(false) },
  };
}

async function carried(texts: Readonly<Record<string, string>>) {
  const output = outputOf(texts);
  const rules = await readNitroRules(output, "server");
  return carryOut(rules, { output, client: "public" });
}

Deno.test("Nitro 2's isr rules become routes with revalidate, ordered by precision", async () => {
  const { routes = [] } = await carried({
    "server/index.mjs": "import './chunks/nitro/nitro.mjs'",
    "server/chunks/nitro/nitro.mjs": NITRO_2,
  });
  const found = routes.toSorted((left, right) => right.precision - left.precision)
    .map(({ pattern, revalidate }) => [pattern, revalidate]);
  assert.deepEqual(found, [
    ["^/blog/live/?$", 0],
    ["^/forever/?$", MAX_REVALIDATE_SECONDS],
    ["^/shop/[^/]+/item/?$", 5],
    ["^/blog(?:/.*)?$", 60],
  ]);
});

Deno.test("redirects and proxies take precedence over files, and headers for files are reported", async () => {
  for (
    const [file, text] of [["server/chunks/_/nitro.mjs", NITRO_2], [
      "server/index.mjs",
      NITRO_3,
    ]] as const
  ) {
    const { beforeFiles, notes } = await carried({ [file]: text });
    assert.deepEqual(beforeFiles, ["^/old(?:/.*)?$"]);
    assert.equal(notes?.length, file === "server/index.mjs" ? 0 : 1);
    if (notes?.[0] !== undefined) {
      assert.match(notes[0], /headers in routeRules "\/fonts\/\*\*" apply/);
    }
  }
});

Deno.test("isr rules are also read from Nitro 3 and from minified builds", async () => {
  const three = await carried({ "server/index.mjs": NITRO_3 });
  assert.deepEqual(three.routes?.map(({ pattern, revalidate }) => [pattern, revalidate]), [
    ["^/blog(?:/.*)?$", 60],
  ]);
  const minified = await carried({ "server/index.mjs": MINIFIED_2 });
  assert.deepEqual(minified.routes?.map(({ pattern, revalidate }) => [pattern, revalidate]), [
    ["^/docs/blog(?:/.*)?$", 60],
    ["^/docs/a/?$", MAX_REVALIDATE_SECONDS],
  ]);
});

Deno.test("a server without Nitro's route rules has no routes", async () => {
  for (
    const text of [
      "",
      "const routeRules = 1;",
      'const a = { routeRules: { "x": { isr: 1 } } };',
      "const b = { routeRules: { broken",
    ]
  ) {
    assert.deepEqual((await carried({ "server/index.mjs": text })).routes, []);
  }
});

for (
  const [path, yes, no] of [
    ["/", ["/"], ["/a"]],
    ["/**", ["/", "/a", "/a/b"], []],
    ["/blog/**", ["/blog", "/blog/", "/blog/a/b"], ["/blogs", "/a/blog"]],
    ["/a/:id", ["/a/1", "/a/1/"], ["/a", "/a/1/2"]],
    ["/a.b", ["/a.b"], ["/axb"]],
    ["/ü", ["/%C3%BC"], ["/u"]],
  ] as const
) {
  Deno.test(`patternOf(${path}) matches the same paths as Nitro`, () => {
    const pattern = new RegExp(patternOf(path));
    for (const url of yes) assert.ok(pattern.test(url), url);
    for (const url of no) assert.ok(!pattern.test(url), url);
  });
}

Deno.test("carryOut() does not report headers for files that clients may store anyway", () => {
  const paths = ["public/_build/assets/a-1.js", "public/_nuxt/a-1.js", "public/fonts/a.woff2"];
  const rule = (path: string) => ({ path, leads: false, headers: ["cache-control"] });
  const { notes } = carryOut(["/_build/assets/**", "/_nuxt/**", "/fonts/**"].map(rule), {
    output: { ...outputOf({}), paths },
    client: "public",
  });
  assert.deepEqual(notes?.map((note) => /routeRules (.*) apply/.exec(note)?.[1]), ['"/fonts/**"']);
});

import assert from "node:assert/strict";
import { type NextManifests, type NextPaths, nextRules } from "./next_rules.ts";

const rules = (given: NextManifests & Partial<NextPaths>) => {
  const { hasLocales = false, basePath = "", ...manifests } = given;
  return nextRules(manifests, { hasLocales, basePath });
};

const seen = { "/": { matchers: [{ regexp: "^/a$" }] } };

const when = (type: string, key: string) => [{ type, key }];

const PERSONAL: Readonly<
  Record<string, readonly [NextManifests & Partial<NextPaths>, readonly string[]]>
> = {
  "nothing without rules": [{}, []],
  "paths that middleware handles": [{ middleware: { middleware: seen } }, ["^/a$"]],
  "all paths if middleware has no matcher": [
    { functions: { functions: { "/_middleware": {} } } },
    ["^/"],
  ],
  "all paths if middleware handles locales": [
    { middleware: { middleware: seen }, hasLocales: true },
    ["^/"],
  ],
  "the home page if there are locales": [
    { hasLocales: true, basePath: "/docs" },
    ["^/docs/?$"],
  ],
  "rewrites that depend on a cookie": [
    {
      routes: {
        rewrites: {
          beforeFiles: [],
          afterFiles: [
            { regex: "^/b$", has: when("cookie", "beta") },
            { regex: "^/c$", has: when("query", "page") },
          ],
          fallback: [{ regex: "^/d$", missing: when("header", "x-a") }],
        },
      },
    },
    ["^/b$", "^/d$"],
  ],
  "no routes that intercept other routes": [
    {
      routes: {
        rewrites: { beforeFiles: [{ regex: "^/e$", has: when("header", "Next-Url") }] },
      },
    },
    [],
  ],
  "rewrites in the format of older versions": [
    { routes: { rewrites: [{ regex: "^/f$", has: when("cookie", "beta") }] } },
    ["^/f$"],
  ],
};

for (const [name, [given, expected]] of Object.entries(PERSONAL)) {
  Deno.test(`nextRules() leaves to the server: ${name}`, () => {
    assert.deepEqual(rules(given).personal, expected);
  });
}

Deno.test("nextRules() omits rewrites after files, and includes redirects", () => {
  const routes = {
    redirects: [{ regex: "^/old$" }, { regex: "^/in$", internal: true }],
    rewrites: { beforeFiles: [{ regex: "^/b$" }], afterFiles: [{ regex: "^/c$" }], fallback: [] },
  };
  assert.deepEqual(rules({ routes }).beforeFiles, ["(?i)^/old$", "(?i)^/b$"]);
});

Deno.test("nextRules() returns one pattern for all paths if there are too many redirects", () => {
  const redirects = Array.from({ length: 101 }, (_, at) => ({ regex: `^/old${at}$` }));
  assert.deepEqual(rules({ routes: { redirects } }).beforeFiles, ["^/"]);
});

Deno.test("nextRules() treats a manifest in an unknown format as a rule for every path", () => {
  assert.deepEqual(rules({ middleware: { middleware: [] } }), {
    personal: ["^/"],
    beforeFiles: ["^/"],
  });
});

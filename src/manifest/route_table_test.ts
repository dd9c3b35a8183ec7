import assert from "node:assert/strict";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { METHODS } from "./limits.ts";
import { createRouteTable } from "./route_table.ts";
import type { Layer, Manifest, Route } from "./types.ts";

const layers: Layer[] = [
  { name: "files", target: "STATIC", directory: "." },
  { name: "server", target: "COMPUTE", directory: ".", entry: "entry.mjs" },
];

function manifestOf(routes: Route[]): Manifest {
  return { version: 1, layers, routes };
}

function indexesOf(routes: Route[], path: string, method = "GET"): number[] {
  return createRouteTable(manifestOf(routes)).match(path, method).map(({ index }) => index);
}

/** Returns the matching routes by a naive method: sorts the routes, then tries them one by one. */
function matchNaively(routes: readonly Route[], path: string, method: string): number[] {
  return routes
    .map((route, index) => ({ route, index, priority: route.priority ?? 0 }))
    .sort((left, right) => right.priority - left.priority)
    .filter(({ route }) =>
      route.methods === undefined || route.methods.some((name) => name === method) ||
      (method === "HEAD" && route.methods.includes("GET"))
    )
    .filter(({ route }) => RE2JS.compile(route.pattern).matcher(path).find())
    .map(({ index }) => index);
}

Deno.test("match() checks the highest priority first, then the manifest's order", () => {
  const routes: Route[] = [
    { pattern: "^/.*$", layer: "files", priority: -1 },
    { pattern: "^/a", layer: "files" },
    { pattern: "a", layer: "server" },
    { pattern: "^/ab$", layer: "server", priority: 0.5 },
  ];
  assert.deepEqual(indexesOf(routes, "/ab"), [3, 1, 2, 0]);
  assert.deepEqual(indexesOf(routes, "/xa"), [2, 0]);
});

Deno.test("match() respects methods, and matches HEAD if a route allows GET", () => {
  const routes: Route[] = [
    { pattern: "^/", layer: "server", methods: ["POST"] },
    { pattern: "^/", layer: "server", methods: ["GET"], priority: 1 },
    { pattern: "^/", layer: "files" },
  ];
  assert.deepEqual(indexesOf(routes, "/", "POST"), [0, 2]);
  assert.deepEqual(indexesOf(routes, "/", "HEAD"), [1, 2]);
  assert.deepEqual(indexesOf(routes, "/", "TRACE"), [2]);
  assert.deepEqual(indexesOf([routes[0]!], "/", "HEAD"), []);
});

Deno.test("createRouteTable() fills in the defaults", () => {
  const [first, second] = createRouteTable(manifestOf([
    { pattern: "^/a", layer: "files" },
    { pattern: "^/a", layer: "server", revalidate: 60 },
  ])).match("/a", "GET");
  assert.equal(first?.fallthrough, true);
  assert.equal(second?.fallthrough, false);
  assert.equal(second?.revalidate, 60);
  assert.equal(second?.layer, layers[1]);
});

Deno.test("createRouteTable() refuses a route whose layer does not exist", () => {
  assert.throws(() => createRouteTable(manifestOf([{ pattern: "^/", layer: "x" }])), TypeError);
});

Deno.test("match() returns the same object each time if the only route is a catch-all", () => {
  for (const pattern of ["^/.*$", "^/(.*)$", ".*", "^/"]) {
    const table = createRouteTable(manifestOf([{ pattern, layer: "files" }]));
    assert.equal(table.match("/a/b", "GET").length, 1);
    assert.equal(table.match("/a/b", "GET"), table.match("/c", "GET"));
  }
});

const PATTERNS = [
  "^/.*$",
  "^/(.*)$",
  "^/",
  ".*",
  "(.*)",
  "^.*$",
  "^(.*)$",
  "^.*",
  "^/.*",
  "^/(.*)",
  "^/a",
  "^/a$",
  "/a/",
  "a$",
  "^/a|b$",
  "^(?:/a|/b)$",
  "^/[^/]+$",
  "^/a/([^/]+)/?$",
  "^*a",
  "^?b",
  "(?i)^/A",
  "(?m)^a",
  "^(?m)a$",
  "\\.(?:js|css)$",
  "^/\\Qa|b\\E",
  "^/a{2,3}$",
  "\\b[ab]\\b",
  "^/(?P<n>a+)b",
  "^/[|]a",
  "^\\|",
  "^^/a",
  "()",
  "$",
  "^$",
];
const text = fc.string({
  unit: fc.constantFrom("/", "a", "b", "A", ".", "j", "s", "|", "\n", "é"),
  maxLength: 8,
});
const path = fc.oneof(text, text.map((rest) => `/${rest}`));
const route = fc.record({
  pattern: fc.constantFrom(...PATTERNS),
  layer: fc.constantFrom("files", "server"),
  priority: fc.integer({ min: -2, max: 2 }),
  methods: fc.uniqueArray(fc.constantFrom(...METHODS), { minLength: 1 }),
}, { requiredKeys: ["pattern", "layer"] });

Deno.test("match() agrees with trying every route one by one", () => {
  fc.assert(
    fc.property(
      fc.array(route, { maxLength: 12 }),
      fc.array(fc.tuple(path, fc.constantFrom(...METHODS, "TRACE")), {
        minLength: 1,
        maxLength: 6,
      }),
      (routes, requests) => {
        const table = createRouteTable(manifestOf(routes as Route[]));
        for (const [requested, method] of requests) {
          const found = table.match(requested, method).map(({ index }) => index);
          assert.deepEqual(found, matchNaively(routes as Route[], requested, method));
        }
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("match() agrees with the regex engine on any text for each form of catch-all", () => {
  fc.assert(fc.property(fc.constantFrom(...PATTERNS), path, (pattern, requested) => {
    const found = indexesOf([{ pattern, layer: "files" }], requested);
    assert.deepEqual(found.length === 1, RE2JS.compile(pattern).matcher(requested).find());
  }));
});

Deno.test("match() takes linear time if backtracking would take exponential time", () => {
  const hostile = ["(a+)+$", "^/(a|aa)+$", "(x+x+)+y", "(.*a){20}"];
  const table = createRouteTable(
    manifestOf(hostile.map((pattern) => ({ pattern, layer: "files" }))),
  );
  const long = `/${"a".repeat(8_000)}!`;
  // A backtracking engine would take forever with this pattern.
  assert.equal(table.match(long, "GET").length, 1);
});

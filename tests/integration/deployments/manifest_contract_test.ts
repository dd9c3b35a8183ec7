/**
 * Tests every row of the manifest contract: accepted values, and rejected values with their path.
 */
import assert from "node:assert/strict";
import { createProject, fileList, withPlatform } from "../../helpers/platform.ts";

const FILES = { "index.html": "home", "client/a.css": "", "server/entry.mjs": "", "a/b.html": "" };

type Fields = Readonly<Record<string, unknown>>;

const STATIC = { name: "static", target: "STATIC", directory: "client" };
const SERVER = {
  name: "server",
  target: "COMPUTE",
  directory: "server",
  entry: "server/entry.mjs",
};
const ROUTE = { pattern: "^/.*$", layer: "static" };
const DYNAMIC = { pattern: "^/.*$", layer: "server" };

const manifest = (fields: Fields = {}) => ({
  version: 1,
  layers: [STATIC, SERVER],
  routes: [ROUTE],
  ...fields,
});
const layer = (fields: Fields, base: Fields = STATIC) =>
  manifest({ layers: [{ ...base, ...fields }], routes: [] });
const route = (fields: Fields, base: Fields = ROUTE) =>
  manifest({ routes: [{ ...base, ...fields }] });
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
/** Returns a `meta` field that takes `bytes` bytes as JSON. */
const meta = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });

const ACCEPTED: Readonly<Record<string, unknown>> = {
  "a static layer and a server": manifest(),
  "10 layers": manifest({
    layers: many(10, (index) => ({ ...STATIC, name: `${index}` })),
    routes: [],
  }),
  "200 routes": manifest({ routes: many(200, (index) => ({ ...ROUTE, pattern: `^/${index}$` })) }),
  "no routes": manifest({ routes: [] }),
  "meta of 16 KB": manifest({ meta: meta(16_384) }),
  "a name of 64 characters": layer({ name: "n".repeat(64) }),
  "the output itself as the directory": layer({ directory: "." }),
  "a server with limits": layer({ runtime: { timeoutMs: 1000, memoryMb: 128 } }, SERVER),
  "a server without limits": layer({ runtime: {} }, SERVER),
  "a pattern of 500 characters": route({ pattern: `^/${"a".repeat(498)}` }),
  "every method": route({
    methods: ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"],
  }),
  "a negative priority": route({ priority: -1 }),
  "a large priority": route({ priority: 1e12 }),
  "a priority that is not an integer": route({ priority: 0.5 }),
  "a server route with revalidation": route({ revalidate: 60 }, DYNAMIC),
  "a static layer without fallthrough": route({ fallthrough: false }),
  "a server with fallthrough": route({ fallthrough: true }, DYNAMIC),
  "two equal routes": manifest({ routes: [ROUTE, ROUTE] }),
  "a method twice": route({ methods: ["GET", "GET"] }),
};

const REFUSED: Readonly<Record<string, readonly [value: unknown, path: string]>> = {
  "an unknown version": [manifest({ version: 2 }), "version"],
  "no version": [without(manifest(), "version"), "version"],
  "no layers": [without(manifest(), "layers"), "layers"],
  "no routes": [without(manifest(), "routes"), "routes"],
  "11 layers": [
    manifest({ layers: many(11, (index) => ({ ...STATIC, name: `${index}` })), routes: [] }),
    "layers",
  ],
  "201 routes": [
    manifest({ routes: many(201, (index) => ({ ...ROUTE, pattern: `^/${index}$` })) }),
    "routes",
  ],
  "meta above 16 KB": [manifest({ meta: meta(16_385) }), "meta"],
  "the legacy middleware": [manifest({ middleware: [] }), "middleware"],
  "no name": [layer(without(STATIC, "name"), {}), "layers[0].name"],
  "a name of 65 characters": [layer({ name: "n".repeat(65) }), "layers[0].name"],
  "a name twice": [manifest({ layers: [STATIC, STATIC], routes: [] }), "layers[1].name"],
  "an unknown target": [layer({ target: "EDGE" }), "layers[0].target"],
  "no directory": [layer(without(STATIC, "directory"), {}), "layers[0].directory"],
  "a directory of 257 characters": [layer({ directory: "d".repeat(257) }), "layers[0].directory"],
  "a directory outside the output": [layer({ directory: "../a" }), "layers[0].directory"],
  "a server without an entry": [layer(without(SERVER, "entry"), {}), "layers[0].entry"],
  "an entry of 513 characters": [
    layer({ entry: `server/${"e".repeat(506)}` }, SERVER),
    "layers[0].entry",
  ],
  "an entry that does not exist": [layer({ entry: "server/none.mjs" }, SERVER), "layers[0].entry"],
  "an entry in a static layer": [layer({ entry: "a/b.html" }), "layers[0].entry"],
  "a timeout that is not a number": [
    layer({ runtime: { timeoutMs: "1s" } }, SERVER),
    "layers[0].runtime.timeoutMs",
  ],
  "memory that is not a number": [
    layer({ runtime: { memoryMb: "1" } }, SERVER),
    "layers[0].runtime.memoryMb",
  ],
  "no pattern": [route(without(ROUTE, "pattern"), {}), "routes[0].pattern"],
  "a pattern of 501 characters": [
    route({ pattern: `^/${"a".repeat(499)}` }),
    "routes[0].pattern",
  ],
  "no layer": [route(without(ROUTE, "layer"), {}), "routes[0].layer"],
  "an unknown layer": [route({ layer: "none" }), "routes[0].layer"],
  "a priority that is not a number": [route({ priority: "1" }), "routes[0].priority"],
  "an unsupported method": [route({ methods: ["TRACE"] }), "routes[0].methods[0]"],
  "a static route with revalidation": [route({ revalidate: 60 }), "routes[0].revalidate"],
  "fallthrough that is not a boolean": [route({ fallthrough: 1 }), "routes[0].fallthrough"],
  ...Object.fromEntries(
    ["^/(?!a)", "^/(?=a)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?>a)", "("].map((pattern) => [
      `the pattern ${pattern}`,
      [route({ pattern }), "routes[0].pattern"] as const,
    ]),
  ),
};

Deno.test("manifests are accepted and refused as the contract specifies", async (t) => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const send = (value: unknown) =>
      platform.api("POST", "/v1/projects/shop/deployments", {
        json: { environment: "preview", manifest: value, files: fileList(FILES) },
      });
    for (const [name, value] of Object.entries(ACCEPTED)) {
      await t.step(`accepts ${name}`, async () => {
        const { status, json } = await send(value);
        assert.equal(status, 201, JSON.stringify(json));
      });
    }
    for (const [name, [value, path]] of Object.entries(REFUSED)) {
      await t.step(`refuses ${name} at ${path}`, async () => {
        const { status, json } = await send(value);
        assert.deepEqual([status, json.code], [400, "manifest_invalid"], JSON.stringify(json));
        const [first, ...lines] = json.error.split("\n");
        assert.equal(first, "Manifest validation failed:");
        assert.match(lines.pop(), /manifest reference$/);
        assert.ok(lines.some((line: string) => line.startsWith(`${path}: `)), json.error);
      });
    }
  });
});

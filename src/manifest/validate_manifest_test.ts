import assert from "node:assert/strict";
import fc from "fast-check";
import { manifestSchema } from "./schema.ts";
import { MAX_PATTERN_LENGTH } from "./limits.ts";
import { outputFilesOf } from "./output_files.ts";
import { validateManifest } from "./validate_manifest.ts";

const files = outputFilesOf(["index.html", "client/app.js", "server/entry.mjs"]);

const good = {
  version: 1,
  layers: [
    { name: "client", target: "STATIC", directory: "client" },
    { name: "server", target: "COMPUTE", directory: "server", entry: "server/entry.mjs" },
  ],
  routes: [{ pattern: "^/", layer: "server", revalidate: 60 }],
};

function problemsOf(value: unknown) {
  const result = validateManifest(value, files);
  return result.ok ? [] : result.problems;
}

Deno.test("validateManifest() accepts values at each limit and refuses values above it", () => {
  const layer = (index: number) => ({ name: `l${index}`, target: "STATIC", directory: "." });
  const literal = (length: number) => "^/" + "x".repeat(length - 2);
  const at = (layers: number, routes: number, length: number) => ({
    version: 1,
    layers: Array.from({ length: layers }, (_, index) => layer(index)),
    routes: Array.from({ length: routes }, (_, index) => ({
      pattern: literal(length),
      layer: "l0",
      priority: index,
    })),
  });
  assert.deepEqual(problemsOf(at(10, 200, MAX_PATTERN_LENGTH)), []);
  assert.deepEqual(problemsOf(at(11, 200, 9)).map(({ path }) => path), ["layers"]);
  assert.deepEqual(problemsOf(at(10, 201, 9)).map(({ path }) => path), ["routes"]);
  assert.deepEqual(problemsOf(at(1, 1, 501)).map(({ path }) => path), ["routes[0].pattern"]);
});

Deno.test("validateManifest() never refuses 200 different long patterns without repetition", () => {
  const routes = Array.from({ length: 200 }, (_, index) => ({
    pattern: `^/${"section-name/".repeat(37)}${index}$`.slice(0, 500),
    layer: "client",
  }));
  assert.deepEqual(problemsOf({ ...good, routes }), []);
});

Deno.test("validateManifest() limits the number of problems in a hostile manifest", () => {
  const layers = Array.from({ length: 100_000 }, () => ({}));
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
  const problems = problemsOf({ ...unknown, version: 1, layers, routes: layers });
  assert.equal(problems.length, 101);
  assert.match(problems.at(-1)?.message ?? "", /^And \d+ more problems$/);
});

Deno.test("validateManifest() returns meta unchanged, including __proto__ as data", () => {
  const value = { ...good, meta: JSON.parse('{"a":{"__proto__":{"x":1}}}') };
  const result = validateManifest(value, files);
  assert.ok(result.ok);
  assert.equal(JSON.stringify(result.manifest.meta), '{"a":{"__proto__":{"x":1}}}');
  assert.equal(({} as { x?: number }).x, undefined);
});

Deno.test("validateManifest() refuses __proto__ as a field", () => {
  const value = JSON.parse('{"version":1,"layers":[],"routes":[],"__proto__":{"a":1}}');
  assert.equal(problemsOf(value).length, 1);
});

Deno.test("validateManifest() refuses meta that cannot be written as JSON", () => {
  const meta: Record<string, unknown> = {};
  meta.self = meta;
  assert.deepEqual(problemsOf({ ...good, meta }).map(({ path }) => path), ["meta"]);
});

Deno.test("validateManifest() never throws", () => {
  const field = fc.oneof(
    fc.constantFrom<unknown>(1, "STATIC", "COMPUTE", ".", "^/", "client", "(?=", "..", ["GET"], {}),
    fc.anything(),
  );
  const item = fc.dictionary(
    fc.constantFrom(
      "name",
      "target",
      "directory",
      "entry",
      "runtime",
      "pattern",
      "layer",
      "methods",
      "x",
    ),
    field,
  );
  const manifest = fc.record({
    version: field,
    layers: fc.oneof(fc.array(fc.oneof(item, field)), field),
    routes: fc.oneof(fc.array(fc.oneof(item, field)), field),
    meta: field,
  });
  fc.assert(
    fc.property(fc.oneof(manifest, fc.anything()), (value) => {
      const result = validateManifest(value, files);
      if (result.ok) assert.ok(manifestSchema.safeParse(value).success);
      else {assert.ok(
          result.problems.length > 0 &&
            result.problems.every(({ message }) => !message.includes("\n")),
        );}
    }),
    { numRuns: 1000 },
  );
});

Deno.test("validateManifest() agrees with the schema that editors use", () => {
  const change = fc.tuple(
    fc.constantFrom("version", "layers", "routes", "meta", "extra"),
    fc.anything(),
  );
  fc.assert(fc.property(change, ([key, value]) => {
    const changed = { ...good, [key]: value };
    if (!manifestSchema.safeParse(changed).success) {
      assert.equal(validateManifest(changed, files).ok, false);
    }
  }));
});

import assert from "node:assert/strict";
import { generateStaticManifest } from "./static_manifest.ts";
import { outputFilesOf } from "../output_files.ts";
import { createRouteTable } from "../route_table.ts";
import { validateManifest } from "../validate_manifest.ts";

Deno.test("generateStaticManifest() passes validation and handles every path", () => {
  const manifest = generateStaticManifest({ framework: { name: "Astro", version: "7.0.1" } });
  const result = validateManifest(manifest, outputFilesOf(["index.html"]));
  assert.deepEqual(result, { ok: true, manifest, warnings: [] });
  const [route] = createRouteTable(manifest).match("/any/path", "GET");
  assert.equal(route?.layer.directory, ".");
  assert.deepEqual(manifest.meta, { framework: { name: "Astro", version: "7.0.1" } });
});

Deno.test("generateStaticManifest() omits meta if the framework is unknown", () => {
  assert.equal("meta" in generateStaticManifest(), false);
});

import assert from "node:assert/strict";
import { formatManifestProblems } from "./format_problems.ts";
import * as limits from "./limits.ts";
import { outputFilesOf } from "./output_files.ts";
import { createRouteTable } from "./route_table.ts";
import { manifestJsonSchema } from "./schema.ts";
import { validateManifest } from "./validate_manifest.ts";

const TEXT = Deno.readTextFileSync(new URL("../../docs/manifest.md", import.meta.url));

/**
 * Matches an example: its files, its kind, its JSON, and the text up to the next heading or
 * example.
 */
const EXAMPLE =
  /<!-- files: (.*) -->\n+```json (manifest|invalid)\n([^]*?)```\n([^]*?)(?=\n## |<!--|$)/g;

const examples = [...TEXT.matchAll(EXAMPLE)].map(([, files = "", kind, json = "", rest = ""]) => ({
  kind,
  rest,
  result: validateManifest(JSON.parse(json), outputFilesOf(files.split(" "))),
}));

Deno.test("manifests in docs/manifest.md pass validation and resolve as its tables show", () => {
  const good = examples.filter(({ kind }) => kind === "manifest");
  assert.equal(good.length, 4);
  let rows = 0;
  for (const { result, rest } of good) {
    assert.ok(result.ok);
    const table = createRouteTable(result.manifest);
    for (
      const [, method = "", path = "", list = ""] of rest.matchAll(
        /^\| `([A-Z]+) (\/.*?)` +\| (.*?) +\|$/gm,
      )
    ) {
      const expected = [...list.matchAll(/routes\[(\d+)\]/g)].map(([, index]) => Number(index));
      assert.deepEqual(table.match(path, method).map(({ index }) => index), expected, path);
      rows++;
    }
  }
  assert.equal(rows, 6);
});

Deno.test("docs/manifest.md shows the message of its invalid manifest", () => {
  const [bad] = examples.filter(({ kind }) => kind === "invalid");
  assert.ok(bad !== undefined && !bad.result.ok);
  const shown = /```text\n([^]*?)\n```/.exec(bad.rest)?.[1];
  assert.equal(shown, formatManifestProblems(bad.result.problems));
});

Deno.test("docs/manifest.md lists every field", () => {
  type Fields = { readonly properties?: object; readonly items?: Fields };
  const { properties } = manifestJsonSchema() as { properties: Record<string, Fields> };
  for (const [name, field] of Object.entries(properties)) {
    const own = Object.keys(field.properties ?? field.items?.properties ?? {});
    const missing = [name, ...own].filter((each) => !TEXT.includes(`\`${each}\``));
    assert.deepEqual(missing, [], name);
  }
});

Deno.test("docs/manifest.md states the limits", () => {
  const flat = TEXT.replace(/,(?=\d{3})/g, "");
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value !== "number" || name === "MAX_PROBLEMS" || name === "MAX_MANIFEST_BYTES") {
      continue;
    }
    assert.match(flat, new RegExp(`\\b${value}\\b`), name);
  }
});

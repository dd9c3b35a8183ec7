import assert from "node:assert/strict";
import { formatManifestProblems } from "./format_problems.ts";
import { outputFilesOf } from "./output_files.ts";
import { parseManifestJson } from "./parse_manifest_json.ts";
import { validateManifest } from "./validate_manifest.ts";

const FOLDER = new URL("../../fixtures/manifests/", import.meta.url);
const DIVIDER = "\n----------\n";

/** Validates the text of a manifest as the CLI and the platform do. */
function judge(text: string, files: readonly string[]): string {
  const parsed = parseManifestJson(text);
  if (!parsed.ok) return formatManifestProblems(parsed.problems);
  const result = validateManifest(parsed.value, outputFilesOf(files));
  return result.ok
    ? [
      ...result.warnings.map(({ path, message }) => `warning: ${path}: ${message}`),
      JSON.stringify(result.manifest, null, 2),
    ].join("\n")
    : formatManifestProblems(result.problems);
}

for (const { name } of [...Deno.readDirSync(FOLDER)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  Deno.test(`validateManifest() matches fixtures/manifests/${name}`, () => {
    const file = new URL(name, FOLDER);
    const [files = "", input = "", expected] = Deno.readTextFileSync(file).split(DIVIDER);
    const actual = judge(input, files.split(" "));
    assert.equal(name.startsWith("good_"), !actual.startsWith("Manifest validation failed:"));
    if (Deno.env.get("UPDATE_GOLDENS") === "1") {
      Deno.writeTextFileSync(file, [files, input, `${actual}\n`].join(DIVIDER));
    } else {
      assert.equal(`${actual}\n`, expected);
    }
  });
}

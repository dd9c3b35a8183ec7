import assert from "node:assert/strict";
import { join } from "node:path";
import { renderDiagnostic } from "../lib/diagnostic.ts";
import { PROJECT_CONFIG_FILE } from "./project_root.ts";
import { parseProjectConfig } from "./project_config.ts";

/** Each file contains a `svc.toml`, this divider, and the result. UPDATE_GOLDENS=1 rewrites it. */
const DIVIDER = "----------\n";
const FIXTURES = join(import.meta.dirname!, "../../fixtures/svc_toml");

function showResult(source: string): string {
  const { config, diagnostics } = parseProjectConfig(source);
  if (config === undefined) {
    return diagnostics
      .map((diagnostic) => renderDiagnostic(diagnostic, { file: PROJECT_CONFIG_FILE, source }))
      .join("\n") + "\n";
  }
  const withMaps = (_key: string, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value;
  return `${JSON.stringify(config, withMaps, 2)}\n`;
}

async function checkGolden(path: string): Promise<"valid" | "invalid"> {
  const text = await Deno.readTextFile(path);
  const at = text.indexOf(DIVIDER);
  assert.notEqual(at, -1, `${path} has no divider`);
  const source = text.slice(0, at);
  const actual = showResult(source);
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    await Deno.writeTextFile(path, source + DIVIDER + actual);
  } else {
    assert.equal(actual, text.slice(at + DIVIDER.length));
  }
  return parseProjectConfig(source).config === undefined ? "invalid" : "valid";
}

for (const [folder, expected] of [["good", "valid"], ["bad", "invalid"]] as const) {
  for (const { name } of Deno.readDirSync(join(FIXTURES, folder))) {
    Deno.test(`parseProjectConfig() matches the golden file ${folder}/${name}`, async () => {
      assert.equal(await checkGolden(join(FIXTURES, folder, name)), expected);
    });
  }
}

Deno.test("golden files cover at least twenty malformed documents", () => {
  assert.ok([...Deno.readDirSync(join(FIXTURES, "bad"))].length >= 20);
});

import assert from "node:assert/strict";
import { renderDiagnostic } from "../lib/diagnostic.ts";
import { loadRulesToml } from "./document/parse_rules.ts";
import { rulesJsonSchema } from "./rule_set/schema.ts";

const CASES = new URL("../../fixtures/rules/", import.meta.url);
const SCHEMA = new URL("../../docs/schema/rules.schema.json", import.meta.url);
const DIVIDER = "\n----------\n";
const isUpdate = Deno.env.get("UPDATE_GOLDENS") === "1";

/** Returns the diagnostics as the CLI displays them, then the normalized set if there is one. */
function outcome(source: string): string {
  const { runtime, diagnostics } = loadRulesToml(source);
  const shown = diagnostics.map((one) => renderDiagnostic(one, { file: "svc.rules.toml", source }));
  const normalized = runtime === undefined ? [] : [JSON.stringify(runtime, undefined, 2)];
  return `${[...shown, ...normalized].join("\n\n")}\n`;
}

const names = [...Deno.readDirSync(CASES)].map((entry) => entry.name)
  .filter((name) => name.endsWith(".txt")).sort();

Deno.test("fixtures/rules has at least 60 cases", () => {
  assert.ok(names.length >= 60, `${names.length}`);
});

for (const name of names) {
  Deno.test(`loadRulesToml() returns what fixtures/rules/${name} expects`, () => {
    const file = new URL(name, CASES);
    const text = Deno.readTextFileSync(file);
    const [source = "", wanted] = text.split(DIVIDER);
    const found = outcome(`${source}\n`);
    if (isUpdate) {
      Deno.writeTextFileSync(
        file,
        `${source.trimEnd()}${DIVIDER}${outcome(`${source.trimEnd()}\n`)}`,
      );
    } else assert.equal(found, wanted);
  });
}

Deno.test("rulesJsonSchema() matches docs/schema/rules.schema.json", () => {
  const found = `${JSON.stringify(rulesJsonSchema(), undefined, 2)}\n`;
  if (isUpdate) Deno.writeTextFileSync(SCHEMA, found);
  else assert.equal(found, Deno.readTextFileSync(SCHEMA));
});

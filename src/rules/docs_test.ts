import assert from "node:assert/strict";
import { renderDiagnostic } from "../lib/diagnostic.ts";
import { loadRulesToml } from "./document/parse_rules.ts";
import { ACTION_TYPES } from "./actions/actions.ts";
import { FIELDS } from "./rule_set/schema.ts";
import { type Rule, SCHEMA_VERSION } from "./rule_set/types.ts";

const text = Deno.readTextFileSync(new URL("../../docs/rules.md", import.meta.url));
const examples = [...text.matchAll(/```toml\n([\s\S]*?)```/g)].map((found) => ({
  line: text.slice(0, found.index).split("\n").length + 1,
  source: found[1] ?? "",
}));

/** An example that starts with a rule omits the first line of the file. */
const complete = (source: string): string =>
  source.startsWith("[[rules]]") ? `schemaVersion = "${SCHEMA_VERSION}"\n${source}` : source;

for (const { line, source } of examples) {
  Deno.test(`the example in docs/rules.md, line ${line}, has no errors or warnings`, () => {
    const whole = complete(source);
    const { diagnostics } = loadRulesToml(whole);
    const shown = diagnostics.map((one) => renderDiagnostic(one, { file: "-", source: whole }));
    assert.deepEqual(shown, []);
  });
}

Deno.test("docs/rules.md has an example for each field and each action", () => {
  const rules: readonly Rule[] = examples.flatMap(({ source }) =>
    loadRulesToml(complete(source)).ruleSet?.rules ?? []
  );
  const fieldsOf = (pick: (rule: Rule) => object | undefined) =>
    new Set(rules.flatMap((rule) => Object.keys(pick(rule) ?? {})));
  const conditions = fieldsOf((rule) => rule.condition);
  for (const field of FIELDS.condition) assert.ok(conditions.has(field), field);
  for (const type of ACTION_TYPES) {
    const ofType = fieldsOf((rule) => rule.action.type === type ? rule.action : undefined);
    for (const field of FIELDS.action(type)) assert.ok(ofType.has(field), `${type}.${field}`);
  }
  const steps = new Set(
    rules.flatMap(({ action }) =>
      action.type === "pipeline" ? action.steps.flatMap((step) => Object.keys(step)) : []
    ),
  );
  for (const field of [...FIELDS.functionStep, ...FIELDS.handleStep]) {
    assert.ok(steps.has(field), field);
  }
});

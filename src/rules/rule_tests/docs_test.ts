import assert from "node:assert/strict";
import { compileRules } from "../compile/compile_rules.ts";
import { loadRulesToml } from "../document/parse_rules.ts";
import { parseRuleTests } from "./parse_rule_tests.ts";
import { runRuleTests } from "./run_rule_tests.ts";
import { EXPECTATION_FIELDS, TEST_FIELDS } from "./schema.ts";

const text = await Deno.readTextFile(new URL("../../../docs/rules-tests.md", import.meta.url));

Deno.test("the example in docs/rules-tests.md passes and reaches every rule", () => {
  const [rules = "", tests = ""] = [...text.matchAll(/```toml\n([^]*?)```/g)].map(([, code]) =>
    code
  );
  const { runtime, diagnostics } = loadRulesToml(rules);
  assert.deepEqual(diagnostics, []);
  assert.ok(runtime !== undefined);
  const parsed = parseRuleTests(tests, runtime.rules.map(({ id }) => id));
  assert.deepEqual(parsed.diagnostics, []);
  const report = runRuleTests(compileRules(runtime), parsed.tests ?? []);
  assert.deepEqual(report.results.flatMap(({ failures }) => failures), []);
  assert.deepEqual([report.passed, report.unreached], [4, []]);
});

Deno.test("docs/rules-tests.md has a row for every field", () => {
  const documented = [...text.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  assert.deepEqual(documented.sort(), [...TEST_FIELDS, ...EXPECTATION_FIELDS].sort());
});

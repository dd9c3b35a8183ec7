import assert from "node:assert/strict";
import fc from "fast-check";
import { anyRuleSet } from "../../../tests/rules/generate.ts";
import { normalizeRules } from "./normalize.ts";
import { loadRulesValue } from "../document/parse_rules.ts";
import type { RuleSet } from "./types.ts";

Deno.test("normalizeRules() is idempotent", () => {
  fc.assert(fc.property(anyRuleSet, (ruleSet) => {
    const once = normalizeRules(ruleSet);
    assert.deepEqual(normalizeRules(once), once);
    assert.deepEqual(JSON.parse(JSON.stringify(once)), once);
  }));
});

Deno.test("normalizeRules() does not change its input", () => {
  const plain = anyRuleSet.map((ruleSet): RuleSet => JSON.parse(JSON.stringify(ruleSet)));
  fc.assert(fc.property(plain, (ruleSet) => {
    const before = structuredClone(ruleSet);
    normalizeRules(ruleSet);
    assert.deepEqual(ruleSet, before);
  }));
});

Deno.test("normalizeRules() keeps a redirect target's path, query and escapes as written", () => {
  const rule = (target: string): RuleSet => ({
    schemaVersion: "EDGE_RULE_SET_V1",
    rules: [{
      id: "a",
      condition: { path: { type: "glob", value: "/{a}" } },
      action: { type: "redirect", target },
    }],
  });
  const rows: readonly (readonly [target: string, wanted: string])[] = [
    ["/x/{a}?q={a}#{a}", "/x/{a}?q={a}#{a}"],
    ["/{{a}}/%2f", "/{{a}}/%2f"],
    ["HTTP://EXAMPLE.com:80", "http://example.com"],
    ["https://example.com.:0443/{a}", "https://example.com/{a}"],
    ["https://bücher.example:8443?x", "https://xn--bcher-kva.example:8443?x"],
  ];
  for (const [target, wanted] of rows) {
    const { runtime, diagnostics } = loadRulesValue(rule(target));
    assert.ok(runtime, JSON.stringify(diagnostics));
    const [{ action }] = runtime.rules as [typeof runtime.rules[number]];
    assert.equal(action.type === "redirect" && action.target, wanted);
    assert.deepEqual(normalizeRules(runtime), runtime);
  }
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { anyRuleSet } from "../../../tests/rules/generate.ts";
import { hasErrors } from "../../lib/diagnostic.ts";
import { MAX_RULES, MAX_RULES_BYTES } from "../limits.ts";
import { loadRulesToml, loadRulesValue, parseRulesToml, parseRulesValue } from "./parse_rules.ts";
import { ruleSetSchema } from "../rule_set/schema.ts";
import { SCHEMA_VERSION } from "../rule_set/types.ts";
import { writeRulesToml } from "./write_rules.ts";

const codes = (value: unknown) => parseRulesValue(value).diagnostics.map((one) => one.code);
const withRules = (rules: unknown) => ({ schemaVersion: SCHEMA_VERSION, rules });
const logRule = (id: string) => ({ id, action: { type: "log" } });

Deno.test("parseRulesValue() refuses anything but a table", () => {
  for (const value of [undefined, null, 1, "x", [], true]) {
    assert.deepEqual(codes(value).length > 0, true, String(value));
    assert.equal(parseRulesValue(value).ruleSet, undefined);
  }
});

Deno.test("parseRulesValue() refuses __proto__ as a name anywhere", () => {
  const text = `{"schemaVersion":"${SCHEMA_VERSION}","rules":[{"id":"a","condition":
    {"headers":{"__proto__":"x"}},"action":{"type":"log","__proto__":{"type":"deny"}}}]}`;
  assert.deepEqual(codes(JSON.parse(text)), ["forbidden_name", "forbidden_name"]);
});

Deno.test("parseRulesValue() limits the depth and number of rules", () => {
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level++) deep = { not: deep };
  assert.deepEqual(codes(withRules([{ ...logRule("a"), condition: deep }])), ["too_deep"]);
  const many = (count: number) => Array.from({ length: count }, (_, index) => logRule(`r${index}`));
  assert.deepEqual(codes(withRules(many(MAX_RULES))), []);
  assert.deepEqual(codes(withRules(many(MAX_RULES + 1))), ["too_many_rules"]);
});

Deno.test("parseRulesToml() reads a file from a Windows editor", () => {
  const text = `\uFEFFschemaVersion = "${SCHEMA_VERSION}"\r\n[[rules]]\r\nid = "a"\r\nfoo = 1\r\n`;
  const { diagnostics } = parseRulesToml(text);
  assert.deepEqual(diagnostics.map((one) => one.position?.line), [2, 4]);
});

Deno.test("parseRulesToml() limits the size of the text", () => {
  const { diagnostics } = parseRulesToml(`# ${"x".repeat(MAX_RULES_BYTES)}`);
  assert.deepEqual(diagnostics.map((one) => one.code), ["toml_size"]);
});

Deno.test("parseRulesValue() truncates a long list of problems, and reports that it did", () => {
  const rules = Array.from({ length: 3_000 }, (_, index) => ({ ...logRule(`r${index}`), x: 1 }));
  const { diagnostics } = parseRulesValue(withRules(rules));
  assert.equal(diagnostics.length, 1_001);
  assert.equal(diagnostics.at(-1)?.code, "too_many_problems");
});

Deno.test("parseRulesToml() gives each problem a position, path and rule ID", () => {
  const { diagnostics } = parseRulesToml(
    `schemaVersion = "${SCHEMA_VERSION}"\n[[rules]]\nid = "one"\ncondition.host = "a:1"\n` +
      `action = { type = "log" }\n`,
  );
  assert.deepEqual(diagnostics, [{
    severity: "error",
    code: "bad_host",
    message: 'Use a hostname without a port: it is "a:1"',
    path: "rules[0].condition.host",
    position: { line: 4, column: 18, length: 5 },
    ruleId: "one",
  }]);
});

Deno.test("parseRulesValue() reports problems in the order of the rules, without positions", () => {
  const bad = { type: "deny", statusCode: 200 };
  const { diagnostics } = parseRulesValue(
    withRules([{ id: "a", condition: { host: "a:1" }, action: { type: "log" } }, {
      id: "b",
      action: bad,
    }]),
  );
  assert.deepEqual(diagnostics.map((one) => one.ruleId), ["a", "b"]);
  assert.ok(diagnostics.every((one) => one.position === undefined));
});

Deno.test("loadRulesToml() returns both forms for a valid set, and neither for an invalid one", () => {
  const good = loadRulesToml(`schemaVersion = "${SCHEMA_VERSION}"\nrules = []\n`);
  assert.deepEqual(good.runtime, { schemaVersion: SCHEMA_VERSION, rules: [] });
  assert.deepEqual(good.ruleSet, { schemaVersion: SCHEMA_VERSION, rules: [] });
  const bad = loadRulesToml(`schemaVersion = "x"\nrules = []\n`);
  assert.equal(bad.runtime, undefined);
  assert.equal(bad.ruleSet, undefined);
});

Deno.test("parseRulesValue() reports an error for every value that the schema refuses", () => {
  const broken = anyRuleSet.chain((ruleSet) =>
    fc.tuple(fc.nat(), fc.nat(), fc.jsonValue()).map(([which, field, value]) => {
      const copy = structuredClone(ruleSet) as unknown as { rules: Record<string, unknown>[] };
      const rule = copy.rules[which % copy.rules.length];
      const names = ["id", "name", "enabled", "condition", "action", "extra"];
      if (rule !== undefined) rule[names[field % names.length] ?? "id"] = value;
      return JSON.parse(JSON.stringify(copy)) as unknown;
    })
  );
  fc.assert(fc.property(broken, (value) => {
    const isShaped = ruleSetSchema.safeParse(value).success;
    const { diagnostics, ruleSet } = parseRulesValue(value);
    if (!isShaped) assert.ok(hasErrors(diagnostics));
    assert.equal(ruleSet === undefined, hasErrors(diagnostics));
  }));
});

Deno.test("loadRulesToml() and loadRulesValue() return the same set and problems", () => {
  fc.assert(fc.property(anyRuleSet, (ruleSet) => {
    const [text, value] = [loadRulesToml(writeRulesToml(ruleSet)), loadRulesValue(ruleSet)];
    assert.deepEqual(text.runtime, value.runtime);
    const keyOf = (one: { code: string; path: string; message: string }) =>
      `${one.path} ${one.code} ${one.message}`;
    assert.deepEqual(text.diagnostics.map(keyOf).sort(), value.diagnostics.map(keyOf).sort());
  }));
});

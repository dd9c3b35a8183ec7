import assert from "node:assert/strict";
import fc from "fast-check";
import { anyRuleSet } from "../../../tests/rules/generate.ts";
import { parseToml } from "../../lib/toml.ts";
import { MAX_DEPTH, MAX_RULES_BYTES } from "../limits.ts";
import type { RuleSet } from "../rule_set/types.ts";
import { writeRulesToml } from "./write_rules.ts";

function readBack(text: string): unknown {
  const result = parseToml(text, { maxBytes: MAX_RULES_BYTES, maxDepth: MAX_DEPTH });
  assert.ok(result.ok, text);
  return result.document.value;
}

Deno.test("writeRulesToml() writes text that reads back as the same rule set", () => {
  fc.assert(fc.property(anyRuleSet, (ruleSet) => {
    const plain = JSON.parse(JSON.stringify(ruleSet));
    assert.deepEqual(readBack(writeRulesToml(ruleSet)), plain);
  }));
});

Deno.test("writeRulesToml() escapes any string and name correctly", () => {
  const text = fc.string({ unit: "binary" }).filter((one) => one !== "__proto__");
  fc.assert(fc.property(text, text, (name, value) => {
    const ruleSet: RuleSet = {
      schemaVersion: "EDGE_RULE_SET_V1",
      source: { origin: "build", revisionId: value },
      rules: [{
        id: value,
        condition: { query: { [name]: value } },
        action: { type: "set_headers", headers: { [name]: value } },
      }],
    };
    assert.deepEqual(readBack(writeRulesToml(ruleSet)), ruleSet);
  }));
});

Deno.test("writeRulesToml() puts short tables on one line, and long lists one item per line", () => {
  const step = { use: "authenticate-visitor", mode: "request", failure: "closed" } as const;
  const text = writeRulesToml({
    schemaVersion: "EDGE_RULE_SET_V1",
    rules: [
      { id: "a", condition: { host: "a.example" }, action: { type: "deny", statusCode: 404 } },
      { id: "b", action: { type: "pipeline", steps: [step, { handle: "origin" }] } },
    ],
  });
  assert.equal(
    text,
    `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "a"
condition.host = "a.example"
action = { type = "deny", statusCode = 404 }

[[rules]]
id = "b"
action.type = "pipeline"
action.steps = [
  { use = "authenticate-visitor", mode = "request", failure = "closed" },
  { handle = "origin" },
]
`,
  );
});

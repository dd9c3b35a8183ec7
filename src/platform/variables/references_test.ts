import assert from "node:assert/strict";
import fc from "fast-check";
import { databasesIn, parseValue } from "./references.ts";
import { fillSnapshot } from "./resolver.ts";

const words = (value: string): readonly unknown[] => {
  const parsed = parseValue(value);
  assert.ok(parsed.ok, value);
  return parsed.parts.map((part) => typeof part === "string" ? part : [part.to.type, part.words]);
};

const valid: readonly (readonly [string, ...unknown[]])[] = [
  [""],
  ["plain $HOME ${HOME} {{x}} $$", "plain $HOME ${HOME} {{x}} $$"],
  ["${{api.url}}", ["project", "api.url"]],
  ["${{ api.url }}/v1", ["project", "api.url"], "/v1"],
  ["${{db.url}}", ["project", "db.url"]],
  ["${{db.shop.url}}", ["database", "db.shop.url"]],
  ["${{self.url}}", ["self", "self.url"]],
  ["a${{a.url}}${{b-2.url}}", "a", ["project", "a.url"], ["project", "b-2.url"]],
  ["$${{api.url}}", "${{", "api.url}}"],
  ["$$${{api.url}}", "$", "${{", "api.url}}"],
];

for (const [value, ...wanted] of valid) {
  Deno.test(`parseValue() splits ${JSON.stringify(value)}`, () => {
    assert.deepEqual(words(value), wanted);
  });
}

const invalid: readonly (readonly [string, RegExp])[] = [
  ["${{", /^A reference is not closed/],
  ["${{a.url}", /^A reference is not closed/],
  ["${{a\n.url}}", /^A reference is not closed/],
  ["${{}}", /^"\$\{\{\}\}" is not a reference/],
  ["${{API_URL}}", /^"\$\{\{API_URL\}\}" is not a reference/],
  ["${{Api.url}}", /is not a reference/],
  ["${{-a.url}}", /is not a reference/],
  ["${{db.shop.password}}", /is not a reference/],
  ["${{self.url.x}}", /is not a reference/],
  ["${{a.url}}".repeat(21), /^A value can have at most 20 references/],
];

for (const [value, wanted] of invalid) {
  Deno.test(`parseValue() refuses ${JSON.stringify(value.slice(0, 30))}`, () => {
    const parsed = parseValue(value);
    assert.ok(!parsed.ok);
    assert.match(parsed.message, wanted);
  });
}

Deno.test("an escape makes any text literal", () => {
  fc.assert(fc.property(fc.array(fc.constantFrom("$", "{", "}", "a", ".url")), (parts) => {
    const text = parts.join("");
    // A dollar sign before `${{` would be parsed as an escape.
    fc.pre(!text.includes("$${{"));
    const values = { A: text.replaceAll("${{", "$${{") };
    assert.deepEqual(fillSnapshot({ values, unfilled: ["A"] }, {}), { A: text });
  }));
});

Deno.test("fillSnapshot() fills in connection strings without parsing a value twice", () => {
  const values = { A: "${{db.shop.url}}?x=1", B: "${{db.shop.url}}" };
  assert.deepEqual(databasesIn([values.A, "${{db.other.url}}", "${{api.url}}"]), ["shop", "other"]);
  assert.deepEqual(fillSnapshot({ values, unfilled: ["A"] }, { shop: "pg://${{db.shop.url}}" }), {
    A: "pg://${{db.shop.url}}?x=1",
    B: "${{db.shop.url}}",
  });
});

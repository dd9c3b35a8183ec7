import assert from "node:assert/strict";
import { parseRulesToml } from "../document/parse_rules.ts";
import type { Surroundings } from "./surroundings.ts";

const SOURCE = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "pages"
condition.asn = [64500]
[rules.action]
type = "pipeline"
steps = [
  { use = "auhth", mode = "request", failure = "closed" },
  { handle = "render" },
  { use = "count", mode = "observe" },
]

[[rules]]
id = "asleep"
enabled = false
condition.asn = [64500]
action = { type = "pipeline", steps = [{ handle = "gone" }] }

[[rules]]
id = "plain"
condition.path = { type = "exact", value = "/plain" }
action = { type = "pipeline", inheritGate = false, steps = [{ handle = "orgin" }] }
`;

function findings(surroundings: Surroundings): string[] {
  return parseRulesToml(SOURCE, surroundings).diagnostics.map(
    ({ severity, code, position, message, hint }) =>
      `${position?.line}:${position?.column} ${severity} ${code}: ${message} (${hint})`,
  );
}

Deno.test("parseRulesToml() names missing functions, with position and suggestion", () => {
  assert.deepEqual(findings({ functions: ["auth", "count"] }), [
    `9:11 error unknown_function: Use one of the project's functions: none is named "auhth" ` +
    `(Did you mean "auth"?)`,
    `10:14 error unknown_function: Use one of the project's functions: none is named "render" ` +
    `(The project has "auth" and "count")`,
    `23:72 error unknown_function: Use one of the project's functions: none is named "orgin" ` +
    `(Did you mean "origin"?)`,
  ]);
  assert.match(findings({ functions: [] })[1] ?? "", /The project has no functions/);
});

Deno.test("parseRulesToml() warns about asn if there is no ASN database", () => {
  assert.deepEqual(findings({ hasAsn: false }), [
    "5:17 warning asn_unknown: Start the platform with --asn: without an ASN database, " +
    "conditions on asn never match (A trusted proxy can also send the network in X-Geo-ASN)",
  ]);
});

Deno.test("parseRulesToml() warns about geo if countries cannot be looked up", () => {
  const text = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "abroad"
condition.geo = ["DE"]
action = { type = "deny" }
`;
  const codesOf = (surroundings: Surroundings) =>
    parseRulesToml(text, surroundings).diagnostics.map(({ code, position }) =>
      `${code} ${position?.line}`
    );
  assert.deepEqual(codesOf({ hasCountries: false }), ["geo_unknown 5"]);
  assert.deepEqual(codesOf({ hasCountries: true }), []);
  assert.deepEqual(codesOf({}), []);
});

Deno.test("parseRulesToml() reports nothing if the platform's capabilities are unknown", () => {
  assert.deepEqual(findings({}), []);
  assert.deepEqual(
    findings({ hasAsn: true, functions: ["auhth", "render", "count", "orgin"] }),
    [],
  );
});

Deno.test("parseRulesToml() warns about limits that several nodes apply separately", () => {
  const text = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "slow"
action = { type = "rate_limit", limit = 5, windowSeconds = 60 }
`;
  const codesOf = (nodes: number) =>
    parseRulesToml(text, { nodes }).diagnostics.map(({ code, message }) => `${code}: ${message}`);
  assert.deepEqual(codesOf(1), []);
  assert.deepEqual(codesOf(3), [
    "limit_per_node: Set the limit for each node: the platform has 3 nodes, " +
    "which count separately, so up to 15 requests pass",
  ]);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { anyRequest, anyRuleSet } from "../_generate.ts";
import { evaluatePlainly } from "../_oracle.ts";
import { compileRules } from "../compile/compile_rules.ts";
import { type DescribedRequest, factsFromRequest } from "../facts.ts";
import { normalizeRules } from "../normalize.ts";
import type { RuleSet } from "../types.ts";
import type { EvaluationHooks } from "./decision.ts";
import { evaluateRules } from "./evaluate_rules.ts";

const REQUESTS_PER_SET = 20;
/** Generated requests; `ORACLE_RUNS=1000000` runs a million. */
const RUNS = Number(Deno.env.get("ORACLE_RUNS") ?? 6000);

const OUTCOMES = [
  "none",
  "deny",
  "rate_limited",
  "redirect",
  "rewrite",
  "cache",
  "pipeline",
  "headers",
  "captures",
];

function recordingHooks(limited: ReadonlySet<number>, hasFile: boolean) {
  const asked: string[] = [];
  const hooks: EvaluationHooks = {
    fileExists: () => hasFile,
    rateLimited(rule, action) {
      asked.push(`${rule.id} ${action.mode}`);
      return limited.has(rule.index % 3);
    },
  };
  return { hooks, asked };
}

const world = fc.record({
  set: anyRuleSet,
  requests: fc.array(anyRequest, { minLength: REQUESTS_PER_SET, maxLength: REQUESTS_PER_SET }),
  limited: fc.subarray([0, 1, 2]).map((kept) => new Set(kept)),
  hasFile: fc.boolean(),
});

Deno.test("evaluateRules() says what looking at every rule says", () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const check = (request: DescribedRequest, given: {
    readonly set: RuleSet;
    readonly limited: ReadonlySet<number>;
    readonly hasFile: boolean;
  }) => {
    const runtime = normalizeRules(given.set);
    const compiled = compileRules(runtime);
    const facts = factsFromRequest(request);
    assert.ok(!("rejected" in facts));
    const fast = recordingHooks(given.limited, given.hasFile);
    const plain = recordingHooks(given.limited, given.hasFile);
    const decision = evaluateRules(compiled, facts, fast.hooks);
    const wanted = evaluatePlainly(runtime, facts, { ipText: request.ip, hooks: plain.hooks });
    assert.deepEqual(decision, wanted);
    assert.deepEqual(fast.asked, plain.asked);
    count(decision.terminal.type);
    for (const part of ["rewrite", "cache", "pipeline"] as const) if (decision[part]) count(part);
    if (decision.headerEdits.length > 0) count("headers");
    const captured = (index: number) =>
      compiled.rules.some((rule) => rule.index === index && rule.usesCaptures);
    if (decision.matched.some(captured)) count("captures");
  };
  fc.assert(
    fc.property(world, ({ requests, ...given }) => {
      for (const request of requests) check(request, given);
    }),
    { numRuns: Math.ceil(RUNS / REQUESTS_PER_SET) },
  );
  for (const what of OUTCOMES) {
    assert.ok((seen.get(what) ?? 0) > RUNS / 200, `${what}: ${seen.get(what)} of ${RUNS}`);
  }
});

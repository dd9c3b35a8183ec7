import assert from "node:assert/strict";
import fc from "fast-check";
import { aimAt, anyRequest, anyRuleSet } from "../../../tests/rules/generate.ts";
import { evaluatePlainly } from "../../../tests/rules/oracle.ts";
import { type CompiledRules, compileRules } from "../compile/compile_rules.ts";
import { type DescribedRequest, factsFromRequest } from "../request/facts.ts";
import { normalizeRules } from "../rule_set/normalize.ts";
import type { RuntimeRuleSet } from "../rule_set/types.ts";
import type { EvaluationHooks } from "../decision.ts";
import { evaluateRules, isSameForAllClients } from "./evaluate_rules.ts";

const REQUESTS_PER_SET = 20;
/** Number of generated requests. `ORACLE_RUNS` sets a different number. */
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

interface Given {
  readonly runtime: RuntimeRuleSet;
  readonly compiled: CompiledRules;
  readonly limited: ReadonlySet<number>;
  readonly hasFile: boolean;
}

/** Compares both evaluators for one request, and returns the content of the decision. */
function compare(request: DescribedRequest, given: Given): readonly string[] {
  const { runtime, compiled } = given;
  const facts = factsFromRequest(request);
  assert.ok(!("rejected" in facts));
  const fast = recordingHooks(given.limited, given.hasFile);
  const plain = recordingHooks(given.limited, given.hasFile);
  const decision = evaluateRules(compiled, facts, fast.hooks);
  const wanted = evaluatePlainly(runtime, facts, { ipText: request.ip, hooks: plain.hooks });
  assert.deepEqual(decision, wanted);
  assert.deepEqual(fast.asked, plain.asked);
  const captured = (index: number) =>
    compiled.rules.some(({ ref, effect }) => ref.index === index && effect.usesCaptures);
  return [
    decision.terminal.type,
    ...(["rewrite", "cache", "pipeline"] as const).filter((part) => decision[part] !== undefined),
    ...(decision.headerEdits.length > 0 ? ["headers"] : []),
    ...(decision.matched.some(captured) ? ["captures"] : []),
  ];
}

Deno.test("evaluateRules() agrees with an evaluator that checks every rule", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(world, ({ set, requests, limited, hasFile }) => {
      const runtime = normalizeRules(set);
      const given = { runtime, compiled: compileRules(runtime), limited, hasFile };
      requests.forEach((request, index) => {
        const aim = index % 2 === 0 ? undefined : set.rules[index % set.rules.length]?.condition;
        const sent = aim === undefined ? request : aimAt(request, aim);
        for (const what of compare(sent, given)) seen.set(what, (seen.get(what) ?? 0) + 1);
      });
    }),
    { numRuns: Math.ceil(RUNS / REQUESTS_PER_SET) },
  );
  for (const what of OUTCOMES) {
    assert.ok((seen.get(what) ?? 0) > RUNS / 400, `${what}: ${seen.get(what)} of ${RUNS}`);
  }
});

/** A request and the same request from another client, with equal method, host, path and query. */
const anotherClient = fc.tuple(anyRequest, anyRequest).map(([request, other]) => {
  const { headers, ip, country, asn, device } = other;
  return [request, {
    method: request.method ?? "GET",
    url: request.url,
    ...(headers === undefined ? {} : { headers }),
    ...(ip === undefined ? {} : { ip }),
    ...(country === undefined ? {} : { country }),
    ...(asn === undefined ? {} : { asn }),
    ...(device === undefined ? {} : { device }),
  }] as const;
});

Deno.test("isSameForAllClients() is true only if other clients get the same decision", () => {
  const seen = { same: 0, other: 0 };
  fc.assert(
    fc.property(anyRuleSet, fc.array(anotherClient, { minLength: 10 }), (set, pairs) => {
      const compiled = compileRules(normalizeRules(set));
      pairs.forEach(([request, other], index) => {
        const aim = set.rules[index % Math.max(1, set.rules.length)]?.condition;
        const first = aim === undefined || index % 2 === 0 ? request : aimAt(request, aim);
        const second = { ...other, method: first.method ?? "GET", url: first.url };
        const [facts, otherFacts] = [factsFromRequest(first), factsFromRequest(second)];
        assert.ok(!("rejected" in facts) && !("rejected" in otherFacts));
        const decide = (of: typeof facts, limited: boolean) =>
          evaluateRules(compiled, of, { fileExists: () => true, rateLimited: () => limited });
        const decisions = [decide(facts, false), decide(otherFacts, true)];
        const isSame = JSON.stringify(decisions[0]) === JSON.stringify(decisions[1]);
        if (isSameForAllClients(compiled, facts)) {
          seen.same++;
          assert.deepEqual(decisions[0], decisions[1]);
        } else if (!isSame) seen.other++;
      });
    }),
    { numRuns: Math.ceil(RUNS / 20) },
  );
  assert.ok(seen.same > RUNS / 40 && seen.other > RUNS / 40, JSON.stringify(seen));
});

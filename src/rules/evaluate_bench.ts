/**
 * @module Measures the cost of one evaluation as the rule set grows, and the size of a compiled
 * set. `deno task bench` runs this benchmark; setup is not timed.
 */
import { type CompiledRules, compileRules } from "./compile/compile_rules.ts";
import type { EvaluationHooks } from "./decision.ts";
import { evaluateRules } from "./evaluate/evaluate_rules.ts";
import { createFacts, type RequestFacts } from "./request/facts.ts";
import { normalizeRules } from "./rule_set/normalize.ts";
import { type Rule, type RuntimeRuleSet, SCHEMA_VERSION } from "./rule_set/types.ts";

interface EvaluationRow {
  readonly scenario: string;
  readonly rules: number;
  /** The best time of several rounds. */
  readonly nanosecondsPerRequest: number;
  /** Ratio to the time of the same scenario with the fewest rules. */
  readonly ratioToSmallest: number;
  readonly compileMilliseconds: number;
  /**
   * Size of the compiled set on the heap, or an estimate if the garbage collector cannot be called.
   */
  readonly heapBytes: number;
}

interface Scenario {
  readonly name: string;
  rule(index: number): Rule;
  /** Returns a request that matches the middle rule of a set that has `size` rules. */
  request(size: number): RequestFacts;
}

const SIZES = [10, 100, 1_000, 10_000];
const ROUNDS = 12;
const REQUESTS_PER_ROUND = 5_000;

const hooks: EvaluationHooks = { fileExists: () => false, rateLimited: () => false };

function facts(path: string, ip = "192.0.2.1"): RequestFacts {
  const host = "shop.test";
  return createFacts({ method: "GET", host, path, rawQuery: "", header: () => undefined, ip });
}

const redirect = (index: number, condition: Rule["condition"], target: string): Rule => ({
  id: `rule-${index}`,
  condition: condition ?? {},
  action: { type: "redirect", target, statusCode: 301 },
});

const exact: Scenario = {
  name: "exact path",
  rule: (index) =>
    redirect(index, { path: { type: "exact", value: `/old/page-${index}` } }, `/new/${index}`),
  request: (size) => facts(`/old/page-${size / 2}`),
};

const glob: Scenario = {
  name: "glob with captures",
  rule: (index) =>
    redirect(
      index,
      { path: { type: "glob", value: `/shop-${index}/{item}/reviews/{rest...}` } },
      "/products/{item}/{rest}",
    ),
  request: (size) => facts(`/shop-${size / 2}/blue-shoes/reviews/2026/latest`),
};

const suffix: Scenario = {
  name: "glob by its end",
  rule: (index) =>
    redirect(index, { path: { type: "glob", value: `/{lang}/page-${index}` } }, `/{lang}/${index}`),
  request: (size) => facts(`/de/page-${size / 2}`),
};

const mixed: Scenario = {
  name: "mixed",
  rule(index) {
    const kinds: readonly Rule[] = [
      exact.rule(index),
      glob.rule(index),
      redirect(index, { host: `h${index}.test`, path: { type: "prefix", value: "/a/" } }, "/b"),
      {
        id: `rule-${index}`,
        condition: { path: { type: "prefix", value: `/api/v${index}/` }, methods: ["POST"] },
        action: { type: "deny" },
      },
      {
        id: `rule-${index}`,
        condition: { path: { type: "glob", value: `/static/${index}/**/*.js` } },
        action: { type: "set_headers", headers: { "cache-control": "max-age=60" } },
      },
    ];
    return kinds[index % kinds.length] ?? exact.rule(index);
  },
  request: (size) => facts(`/old/page-${size / 2}`),
};

const blocks: Scenario = {
  name: "address block",
  rule: (index) => ({
    id: `rule-${index}`,
    condition: { sourceIpCidrs: [`10.${index >> 8}.${index & 255}.0/24`] },
    action: { type: "deny" },
  }),
  request: (size) => facts("/", `10.${size >> 9}.${(size >> 1) & 255}.7`),
};

const nothing: Scenario = {
  name: "no rule matches",
  rule: mixed.rule,
  request: () => facts("/blog/2026/11/an-article"),
};

function runtimeSet(scenario: Scenario, size: number): RuntimeRuleSet {
  const rules = Array.from({ length: size }, (_, index) => scenario.rule(index));
  return normalizeRules({ schemaVersion: SCHEMA_VERSION, rules });
}

function heapUsed(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return Deno.memoryUsage().heapUsed;
}

interface Prepared extends Omit<EvaluationRow, "ratioToSmallest" | "nanosecondsPerRequest"> {
  readonly compiled: CompiledRules;
  readonly request: RequestFacts;
}

function prepare(scenario: Scenario, size: number): Prepared {
  const set = runtimeSet(scenario, size);
  const heapBefore = heapUsed();
  const started = performance.now();
  const compiled = compileRules(set);
  return {
    scenario: scenario.name,
    rules: size,
    compileMilliseconds: performance.now() - started,
    heapBytes: Math.max(0, heapUsed() - heapBefore),
    compiled,
    request: scenario.request(size),
  };
}

function nanosecondsOf({ compiled, request }: Prepared): number {
  const start = performance.now();
  for (let count = 0; count < REQUESTS_PER_ROUND; count++) evaluateRules(compiled, request, hooks);
  return ((performance.now() - start) * 1e6) / REQUESTS_PER_ROUND;
}

/** Measures every size of a scenario in turn, so a busy machine affects all of them equally. */
function measure(scenario: Scenario): readonly EvaluationRow[] {
  const prepared = SIZES.map((size) => prepare(scenario, size));
  const best = prepared.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    prepared.forEach((each, index) => {
      best[index] = Math.min(best[index] ?? Infinity, nanosecondsOf(each));
    });
  }
  return prepared.map(({ compiled: _compiled, request: _request, ...row }, index) => ({
    ...row,
    nanosecondsPerRequest: best[index] ?? Infinity,
    ratioToSmallest: (best[index] ?? Infinity) / (best[0] ?? Infinity),
  }));
}

/** Measures every scenario at every size, which takes about two seconds. */
export function benchEvaluation(): readonly EvaluationRow[] {
  return [exact, glob, suffix, mixed, blocks, nothing].flatMap(measure);
}

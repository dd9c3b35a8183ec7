import assert from "node:assert/strict";
import fc from "fast-check";
import { inTurns, type Steps } from "../lib/next_turn.ts";
import { anyRequest, anyRuleSet } from "../../tests/rules/generate.ts";
import { compileInSteps, compileRules } from "./compile/compile_rules.ts";
import { evaluateRules } from "./evaluate/evaluate_rules.ts";
import { factsFromRequest } from "./request/facts.ts";
import { normalizeRules } from "./rule_set/normalize.ts";
import { loadRulesInSteps, loadRulesValue } from "./document/parse_rules.ts";
import { NO_HOOKS } from "./_test_rules.ts";
import { type Rule, type RuleSet, type RuntimeRule, SCHEMA_VERSION } from "./rule_set/types.ts";
import { checkGates, type PlacedRule } from "./validate/gates.ts";
import { warnFolderPages } from "./warnings/folder_page.ts";
import { warnRedirectLoops } from "./warnings/redirect_loops.ts";
import { warnUnreachable } from "./warnings/unreachable.ts";
import { collect, startPace } from "./work.ts";

const noPause = () => Promise.resolve();

/** Sets of several hundred rules, which are too large to process in one step. */
const anyLargeSet: fc.Arbitrary<RuleSet> = fc.array(anyRuleSet, { minLength: 12, maxLength: 24 })
  .map((sets) => ({
    schemaVersion: SCHEMA_VERSION,
    rules: sets.flatMap(({ rules }) => rules).map((rule, index) => ({ ...rule, id: `r${index}` })),
  }));

Deno.test("loadRulesInSteps() returns the same results as loadRulesValue()", async () => {
  let turns = 0;
  const pause = () => (turns++, Promise.resolve());
  await fc.assert(
    fc.asyncProperty(anyLargeSet, async (ruleSet) => {
      const loaded = await inTurns(loadRulesInSteps(ruleSet), pause);
      assert.deepEqual(loaded, loadRulesValue(ruleSet));
      if (loaded.runtime === undefined) return;
      assert.deepEqual(loaded.runtime, normalizeRules(ruleSet));
    }),
    { numRuns: 10, seed: 1 },
  );
  assert.ok(turns > 10, String(turns));
});

Deno.test("compileInSteps() makes the same decisions as compileRules()", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyLargeSet,
      fc.array(anyRequest, { minLength: 20 }),
      async (set, requests) => {
        const runtime = normalizeRules(set);
        const [whole, stepped] = [
          compileRules(runtime),
          await inTurns(compileInSteps(runtime), noPause),
        ];
        assert.deepEqual(stepped.rules.map(({ ref }) => ref), whole.rules.map(({ ref }) => ref));
        for (const request of requests) {
          const facts = factsFromRequest(request);
          if ("rejected" in facts) continue;
          assert.deepEqual(
            evaluateRules(stepped, facts, NO_HOOKS),
            evaluateRules(whole, facts, NO_HOOKS),
          );
        }
      },
    ),
    { numRuns: 5, seed: 1 },
  );
});

const COUNT = 3_000;

/**
 * Maximum number of rules that one step may visit. A step covers 1000 values, and a visit to a rule
 * costs as much as 2 values.
 */
const MOST_RULES = 501;

const KINDS: Readonly<Record<string, (n: number) => Omit<Rule, "id">>> = {
  redirects: (n) => ({
    condition: { path: { type: "exact", value: `/${n}` } },
    action: { type: "redirect", target: `/${n + 1}` },
  }),
  "redirects on hosts": (n) => ({
    condition: { host: `h${n}.test` },
    action: { type: "redirect", target: "/x" },
  }),
  folders: (n) => ({
    condition: { path: { type: "prefix", value: `/${n}/` } },
    action: { type: "deny" },
  }),
  networks: (n) => ({
    condition: { sourceIpCidrs: [`10.${n >> 8}.${n & 255}.0/24`] },
    action: { type: "deny" },
  }),
  pipelines: (n) => ({
    condition: { query: { q: String(n) } },
    action: {
      type: "pipeline",
      steps: [{ use: n % 2 ? "a" : "b", mode: "request", failure: "closed" }, { handle: "origin" }],
    },
  }),
};

/** Runs all steps and returns the maximum number of watched rules that one step visited. */
function fullestStep(make: (watch: <T extends object>(rule: T) => T) => Steps<unknown>): number {
  const seen = new Set<object>();
  let most = 0;
  const watch = <T extends object>(rule: T): T =>
    new Proxy(rule, {
      get(target, name, receiver) {
        if (name === "condition") seen.add(target);
        return Reflect.get(target, name, receiver);
      },
    });
  const work = make(watch);
  for (let step = work.next(); step.done !== true; step = work.next()) {
    most = Math.max(most, seen.size);
    seen.clear();
  }
  return Math.max(most, seen.size);
}

for (const [kind, make] of Object.entries(KINDS)) {
  const authored: RuleSet = {
    schemaVersion: SCHEMA_VERSION,
    rules: Array.from({ length: COUNT }, (_, n) => ({ id: `r${n}`, ...make(n) })),
  };
  const runtime = normalizeRules(authored);

  const passes: Readonly<
    Record<string, (watch: <T extends object>(rule: T) => T) => Steps<unknown>>
  > = {
    "reading and evaluating": (watch) =>
      loadRulesInSteps({ ...authored, rules: authored.rules.map(watch) }),
    gates: (watch) => collect(checkGates(place(runtime.rules, watch), startPace()), []),
    unreachable: (watch) => collect(warnUnreachable(place(runtime.rules, watch), startPace()), []),
    loops: (watch) => collect(warnRedirectLoops(place(runtime.rules, watch), startPace()), []),
    folders: (watch) => collect(warnFolderPages(place(runtime.rules, watch), startPace()), []),
    compiling: (watch) => compileInSteps({ ...runtime, rules: runtime.rules.map(watch) }),
  };

  Deno.test(`no step of checking or compiling ${COUNT} rules visits many rules: ${kind}`, async (t) => {
    for (const [pass, work] of Object.entries(passes)) {
      await t.step(pass, () => {
        const most = fullestStep(work);
        assert.ok(most <= MOST_RULES, `${most} rules in one step`);
      });
    }
  });
}

function place(
  rules: readonly RuntimeRule[],
  watch: <T extends object>(rule: T) => T,
): PlacedRule[] {
  return rules.map((rule, index) => ({ index, rule: watch(rule) }));
}

Deno.test("checking a large set takes many steps, and checking a small one takes none", () => {
  const steps = (count: number): number => {
    const make = KINDS["redirects"]!;
    const rules = Array.from({ length: count }, (_, n) => ({ id: `r${n}`, ...make(n) }));
    const work = loadRulesInSteps({ schemaVersion: SCHEMA_VERSION, rules });
    let taken = 0;
    while (work.next().done !== true) taken++;
    return taken;
  };
  assert.equal(steps(3), 0);
  assert.ok(steps(COUNT) > (COUNT / MOST_RULES) * 5);
});

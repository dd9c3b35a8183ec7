/** @module Helpers for tests to write and evaluate rules. */
import assert from "node:assert/strict";
import { type CompiledRules, compileRules } from "./compile/compile_rules.ts";
import type { Decision, EvaluationHooks } from "./decision.ts";
import { evaluateRules } from "./evaluate/evaluate_rules.ts";
import { type DescribedRequest, factsFromRequest, type RequestFacts } from "./request/facts.ts";
import type { Finding } from "./finding.ts";
import { atOnce } from "../lib/next_turn.ts";
import { normalizeRules } from "./rule_set/normalize.ts";
import { type Action, type Condition, type Rule, SCHEMA_VERSION } from "./rule_set/types.ts";
import { collect, type FindingSteps } from "./work.ts";

export const NO_HOOKS: EvaluationHooks = { fileExists: () => false, rateLimited: () => false };

/** A rule without an ID. `compileAll` names it by its position in the list. */
export type ShortRule = readonly [condition: Condition, action: Action, more?: Partial<Rule>];

/** Compiles rules with the IDs `r0`, `r1` and so on. */
export function compileAll(rules: readonly ShortRule[]): CompiledRules {
  return compileRules(normalizeRules({
    schemaVersion: SCHEMA_VERSION,
    rules: rules.map(([condition, action, more], index) => ({
      id: `r${index}`,
      condition,
      action,
      ...more,
    })),
  }));
}

/** Runs a search to its end. Returns all its findings. */
export function found(search: FindingSteps): readonly Finding[] {
  const findings: Finding[] = [];
  atOnce(collect(search, findings));
  return findings;
}

/** Returns the facts of a request. Its path must be valid. */
export function factsOf(request: DescribedRequest | string): RequestFacts {
  const facts = factsFromRequest(typeof request === "string" ? { url: request } : request);
  assert.ok(!("rejected" in facts), `rejected: ${JSON.stringify(request)}`);
  return facts;
}

export function decide(
  rules: readonly ShortRule[],
  request: DescribedRequest | string,
  hooks: Partial<EvaluationHooks> = {},
): Decision {
  return evaluateRules(compileAll(rules), factsOf(request), { ...NO_HOOKS, ...hooks });
}

/** IDs of the rules that took effect. */
export function matchedIds(decision: Decision): readonly string[] {
  return decision.matched.map((index) => `r${index}`);
}

/** @module Runs a test table on a compiled rule set, and reports the rules that no row reached. */
import type { Position } from "../../lib/diagnostic.ts";
import type { CompiledRules } from "../compile/compile_rules.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import { type DescribedRequest, factsFromRequest } from "../request/facts.ts";
import { normalizePath } from "../request/path.ts";
import type { Decision, EvaluationHooks } from "../decision.ts";
import { runningOrder } from "../pipeline_steps.ts";
import type { PlacedRuleTest } from "./parse_rule_tests.ts";
import type { RuleTest } from "./schema.ts";

/** An unmet expectation. */
interface RuleTestFailure {
  /** The field, such as `status` or `headers.x-frame-options`. */
  readonly field: string;
  readonly wanted: string;
  readonly seen: string;
}

export interface RuleTestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly failures: readonly RuleTestFailure[];
  /** IDs of the rules that took effect, in the order of evaluation. */
  readonly matched: readonly string[];
  readonly position?: Position;
}

export interface RuleTestReport {
  readonly results: readonly RuleTestResult[];
  readonly passed: number;
  readonly failed: number;
  /** IDs of the enabled rules that did not take effect in any row, in authored order. */
  readonly unreached: readonly string[];
}

const NOTHING = "nothing";

function describeRequest(test: RuleTest): DescribedRequest {
  const { method, url, headers, ip, country, asn, device } = test;
  return {
    url,
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(ip === undefined ? {} : { ip }),
    ...(country === undefined ? {} : { country }),
    ...(asn === undefined ? {} : { asn }),
    ...(device === undefined ? {} : { device }),
  };
}

function hooksFor(test: RuleTest): EvaluationHooks {
  const files = new Set(test.files?.map((path) => normalizePath(path)));
  const overLimit = new Set(test.over_limit);
  return {
    fileExists: (path) => files.has(path),
    rateLimited: (rule) => overLimit.has(rule.id),
  };
}

function statusOf({ terminal }: Decision): number | undefined {
  if (terminal.type === "none") return undefined;
  return terminal.type === "rate_limited" ? 429 : terminal.status;
}

function rewriteOf({ rewrite }: Decision): string | undefined {
  if (rewrite === undefined) return undefined;
  if (rewrite.type === "external") return rewrite.url;
  return rewrite.query === "" ? rewrite.path : `${rewrite.path}?${rewrite.query}`;
}

function cacheOf({ cache }: Decision): string | number | undefined {
  return cache?.type === "cache" ? cache.ttlSeconds : cache?.type;
}

/** Returns the pipeline's steps in the order in which they run, or "" if there are none. */
function stepsOf({ pipeline }: Decision): string {
  return runningOrder(pipeline?.steps ?? [])
    .map((step) => "use" in step ? step.use : step.handle).join(", ");
}

/** Returns the final value of each edited header. The value is `null` if the header is removed. */
function headersOf({ headerEdits }: Decision): ReadonlyMap<string, string | null> {
  return new Map(
    headerEdits.map((edit) =>
      [edit.name.toLowerCase(), edit.type === "set" ? edit.value : null] as const
    ),
  );
}

type Comparable = string | number | undefined;

function compare(field: string, wanted: Comparable, seen: Comparable): RuleTestFailure[] {
  if (wanted === undefined || wanted === seen) return [];
  return [{ field, wanted: String(wanted), seen: String(seen ?? NOTHING) }];
}

function compareHeaders(test: RuleTest, decision: Decision): RuleTestFailure[] {
  const edited = headersOf(decision);
  const shown = (name: string) => {
    const value = edited.get(name.toLowerCase());
    return value === null ? "removed" : value ?? "untouched";
  };
  const set = Object.entries(test.expect.headers ?? {}).flatMap(([name, value]) =>
    compare(`headers.${name}`, value, shown(name))
  );
  const removed = (test.expect.removed_headers ?? []).flatMap((name) =>
    edited.get(name.toLowerCase()) === null
      ? []
      : [{ field: "removed_headers", wanted: `${name} removed`, seen: shown(name) }]
  );
  return [...set, ...removed];
}

function compareRules(test: RuleTest, matched: readonly string[]): RuleTestFailure[] {
  const seen = matched.length === 0 ? NOTHING : matched.join(", ");
  const missing = (test.expect.matched ?? []).filter((id) => !matched.includes(id));
  const surplus = (test.expect.not_matched ?? []).filter((id) => matched.includes(id));
  return [
    ...missing.map((id) => ({ field: "matched", wanted: id, seen })),
    ...surplus.map((id) => ({ field: "not_matched", wanted: `not ${id}`, seen })),
  ];
}

function compareDecision(test: RuleTest, decision: Decision): RuleTestFailure[] {
  const { expect } = test;
  const { terminal } = decision;
  const outcome = terminal.type === "none" ? "pass" : terminal.type;
  const rule = terminal.type === "none" ? decision.rewrite?.rule.id : terminal.rule.id;
  return [
    ...compare("outcome", expect.outcome, outcome),
    ...compare("status", expect.status, statusOf(decision)),
    ...compare(
      "location",
      expect.location,
      terminal.type === "redirect" ? terminal.location : undefined,
    ),
    ...compare("rule", expect.rule, rule),
    ...compare("rewrite", expect.rewrite, rewriteOf(decision)),
    ...compare("cache", expect.cache, cacheOf(decision)),
    ...compare("pipeline", expect.pipeline, decision.pipeline?.rule.id),
    ...compare("steps", expect.steps?.join(", "), stepsOf(decision)),
    ...compareHeaders(test, decision),
  ];
}

function runOne(compiled: CompiledRules, { test, position }: PlacedRuleTest): RuleTestResult {
  const place = position === undefined ? {} : { position };
  const facts = factsFromRequest(describeRequest(test));
  if ("rejected" in facts) {
    const failures = [
      ...compare("status", test.expect.status ?? "a response from the rules", 400),
      ...compareRules(test, []),
    ];
    return { name: test.name, passed: failures.length === 0, failures, matched: [], ...place };
  }
  const decision = evaluateRules(compiled, facts, hooksFor(test));
  const matched = decision.matched.map((index) => compiled.source.rules[index]?.id ?? "");
  const failures = [...compareDecision(test, decision), ...compareRules(test, matched)];
  return { name: test.name, passed: failures.length === 0, failures, matched, ...place };
}

/** Runs every row. Rows do not affect each other. */
export function runRuleTests(
  compiled: CompiledRules,
  tests: readonly PlacedRuleTest[],
): RuleTestReport {
  const results = tests.map((test) => runOne(compiled, test));
  const reached = new Set(results.flatMap(({ matched }) => matched));
  const passed = results.filter((result) => result.passed).length;
  return {
    results,
    passed,
    failed: results.length - passed,
    unreached: compiled.source.rules
      .filter(({ id, enabled }) => enabled && !reached.has(id))
      .map(({ id }) => id),
  };
}

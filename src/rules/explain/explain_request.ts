/**
 * @module Explains the outcome of every rule in a set for one request, by running the evaluator
 * itself.
 */
import type { CompiledRule } from "../compile/compiled_rule.ts";
import type { CompiledRules } from "../compile/compile_rules.ts";
import { definitionOf, phaseOf } from "../actions/actions.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import type { RequestFacts } from "../request/facts.ts";
import type {
  ActionType,
  RuntimeCondition,
  RuntimeLeaf,
  RuntimeRule,
  RuntimeRuleSet,
} from "../rule_set/types.ts";
import { type Decision, type EvaluationHooks, type Phase, PHASES } from "../decision.ts";
import { actionLines, summarize } from "./summarize.ts";
import { type ConditionField, LeafMatcher } from "../compile/condition.ts";
import { type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import { MAX_LISTED } from "../conditions/lists.ts";

/** The first field of a condition that does not match. */
interface Mismatch {
  /** The field, such as `path`, `headers.x-key`, `any[0].host` or `not`. */
  readonly field: string;
  readonly wanted: string;
  readonly seen: string;
}

function fieldMismatch<F extends ConditionName>(
  field: F,
  leaf: RuntimeLeaf,
  facts: RequestFacts,
): Mismatch {
  const value = leaf[field];
  if (value === undefined) throw new TypeError(`The condition has no "${field}"`);
  const { name, wanted, seen } = CONDITIONS[field].explain(value, facts);
  return { field: name === undefined ? field : `${field}.${name}`, wanted, seen };
}

function anyMismatch(items: readonly RuntimeLeaf[], facts: RequestFacts): Mismatch {
  const reasons = items.slice(0, MAX_LISTED).map((leaf, index) => {
    const failing = new LeafMatcher(leaf).failing(facts);
    if (failing === undefined) return "";
    const { field, wanted, seen } = fieldMismatch(failing, leaf, facts);
    return `any[${index}].${field} is ${seen}, not ${wanted}`;
  });
  const seen = `none: ${reasons.join("; ")}`;
  return { field: "any", wanted: `one of ${items.length} alternatives`, seen };
}

/** Explains why the field of the condition does not match. */
function describeMismatch(
  field: ConditionField,
  condition: RuntimeCondition,
  facts: RequestFacts,
): Mismatch {
  if (field === "any") return anyMismatch(condition.any ?? [], facts);
  if (field !== "not") return fieldMismatch(field, condition, facts);
  const fields = Object.keys(condition.not ?? {}).join(", ");
  return {
    field,
    wanted: "a request that does not match the condition in `not`",
    seen: fields === "" ? "it matches every request" : `it matches: ${fields}`,
  };
}

/** Whether a rule applied, or why it did not. */
export type RuleOutcome =
  | { readonly state: "applied" }
  /** The condition is met, but for this `reason`, the rule had no effect. */
  | { readonly state: "skipped"; readonly reason: string }
  | { readonly state: "not_matched"; readonly mismatch: Mismatch }
  | { readonly state: "disabled" };

export interface RuleExplanation {
  readonly id: string;
  readonly name?: string;
  /** Position in the rule set. */
  readonly index: number;
  readonly phase: Phase;
  readonly action: ActionType;
  readonly outcome: RuleOutcome;
}

export interface Explanation {
  /** The request as conditions see it. */
  readonly request: Pick<RequestFacts, "method" | "host" | "path" | "rawQuery">;
  /** Every rule, phase by phase, in the order of evaluation, with disabled rules last. */
  readonly rules: readonly RuleExplanation[];
  readonly decision: Decision;
  /** The result in a few lines, one for each effect. */
  readonly summary: readonly string[];
}

const REDIRECT = PHASES.indexOf("redirect");
const PIPELINE = PHASES.indexOf("pipeline");

/** Given a rule whose condition is met, returns the rule that prevented it from taking effect. */
function findWinner(
  rule: CompiledRule,
  applied: readonly CompiledRule[],
  { terminal }: Decision,
): CompiledRule | undefined {
  const answering = terminal.type === "none"
    ? undefined
    : applied.find(({ ref }) => ref.index === terminal.rule.index);
  const isOver = terminal.type === "redirect"
    ? rule.phase >= REDIRECT && rule.phase <= PIPELINE
    : terminal.type !== "none";
  if (answering !== undefined && isOver) return answering;
  return applied.findLast(({ phase }) => phase === rule.phase);
}

function whySkipped(
  rule: CompiledRule,
  winner: CompiledRule | undefined,
  { rules }: RuntimeRuleSet,
): string {
  if (winner === undefined || winner.rank > rule.rank) return "A static file matches the path";
  const { id, index } = winner.ref;
  if (winner.phase !== rule.phase) return `Rule "${id}" responds to the request`;
  const action = rules[index]?.action;
  const reason = action && definitionOf(action).whyNoLater;
  return `Rule "${id}" ${reason ?? "comes first"}`;
}

/** Explains the rules for a request. The hooks are called as in a normal evaluation. */
export function explainRequest(
  compiled: CompiledRules,
  facts: RequestFacts,
  hooks: EvaluationHooks,
): Explanation {
  const decision = evaluateRules(compiled, facts, hooks);
  const matched = new Set(decision.matched);
  const applied = compiled.rules.filter(({ ref }) => matched.has(ref.index));
  const outcomeOf = (rule: CompiledRule, source: RuntimeRule): RuleOutcome => {
    if (matched.has(rule.ref.index)) return { state: "applied" };
    const field = rule.condition.failing(facts);
    if (field !== undefined) {
      return { state: "not_matched", mismatch: describeMismatch(field, source.condition, facts) };
    }
    const winner = findWinner(rule, applied, decision);
    return { state: "skipped", reason: whySkipped(rule, winner, compiled.source) };
  };
  const describe = (source: RuntimeRule, index: number, outcome: RuleOutcome): RuleExplanation => ({
    id: source.id,
    ...(source.name === undefined ? {} : { name: source.name }),
    index,
    phase: phaseOf(source.action.type),
    action: source.action.type,
    outcome,
  });
  const enabled = compiled.rules.flatMap((rule) => {
    const source = compiled.source.rules[rule.ref.index];
    return source === undefined ? [] : [describe(source, rule.ref.index, outcomeOf(rule, source))];
  });
  const disabled = compiled.source.rules.flatMap((source, index) =>
    source.enabled ? [] : [describe(source, index, { state: "disabled" })]
  );
  const { method, host, path, rawQuery } = facts;
  return {
    request: { method, host, path, rawQuery },
    rules: [...enabled, ...disabled],
    decision,
    summary: [
      ...summarize(decision),
      ...actionLines(decision.matched.flatMap((index) => compiled.source.rules[index] ?? [])),
    ],
  };
}

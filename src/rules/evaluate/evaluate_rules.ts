/**
 * @module Evaluates rules in phases: security, redirect, rewrite, cache, pipeline, headers. In
 * every phase, conditions see the original request.
 */
import type { DecisionDraft, Location } from "../actions/action_definition.ts";
import type { CompiledRule } from "../compile/compiled_rule.ts";
import type { CompiledRules } from "../compile/compile_rules.ts";
import type { RequestFacts } from "../request/facts.ts";
import {
  type CacheDecision,
  type Decision,
  type EvaluationHooks,
  type HeaderEdit,
  type Hit,
  NO_DECISION,
  type Phase,
  PHASES,
  type PipelineDecision,
  type RewriteDecision,
  type RuleRef,
  type Terminal,
} from "../decision.ts";
import { findCandidates } from "./candidates.ts";

const NO_CAPTURES: readonly string[] = Object.freeze([]);

/** The index of the phase that comes after each phase. */
const AFTER = Object.fromEntries(PHASES.map((phase, index) => [phase, index + 1])) as Readonly<
  Record<Phase, number>
>;

function capturesOf({ effect, condition }: CompiledRule, path: string): readonly string[] {
  return effect.usesCaptures ? condition.captures(path) : NO_CAPTURES;
}

type Growing = { -readonly [Key in keyof Decision]: Decision[Key] };

/** A decision in progress. */
class Draft implements DecisionDraft {
  terminal: Terminal = NO_DECISION.terminal;
  rewrite: RewriteDecision | undefined;
  cache: CacheDecision | undefined;
  pipeline: PipelineDecision | undefined;
  readonly matched: number[] = [];
  /** Index of the first phase whose rules can still apply. */
  openFrom = 0;
  #headerEdits: HeaderEdit[] | undefined;
  #hits: Hit[] | undefined;
  #fileExists: boolean | undefined;

  #rule: CompiledRule;

  /** `rule` is the first rule to apply. */
  constructor(readonly facts: RequestFacts, readonly hooks: EvaluationHooks, rule: CompiledRule) {
    this.#rule = rule;
  }

  /** Applies a rule whose condition is met. */
  apply(rule: CompiledRule): void {
    const { effect, ref } = rule;
    if (effect.ifNoFile && this.#hasFile()) return;
    this.matched.push(ref.index);
    this.#rule = rule;
    effect.apply(this);
  }

  finish(): Decision {
    const headerEdits = this.#headerEdits;
    const hits = this.#hits;
    const { terminal, rewrite, cache, pipeline, matched } = this;
    const decision: Growing = {
      terminal,
      headerEdits: headerEdits ?? NO_DECISION.headerEdits,
      hits: hits ?? NO_DECISION.hits,
      matched,
    };
    if (rewrite !== undefined) decision.rewrite = rewrite;
    if (cache !== undefined) decision.cache = cache;
    if (pipeline !== undefined) decision.pipeline = pipeline;
    return decision;
  }

  closeThrough(phase: Phase): void {
    this.openFrom = AFTER[phase];
  }

  hit(type: Hit["type"]): void {
    (this.#hits ??= []).push({ type, rule: this.#rule.ref });
  }

  editHeader(edit: HeaderEdit): void {
    (this.#headerEdits ??= []).push(edit);
  }

  captures(): readonly string[] {
    return capturesOf(this.#rule, this.facts.path);
  }

  #hasFile(): boolean {
    this.#fileExists ??= this.hooks.fileExists(this.facts.path);
    return this.#fileExists;
  }
}

/**
 * Evaluates the rules for a request. The cost grows with the length of the path and with the number
 * of rules for the request's host, path and method, but not with the size of the set.
 */
export function evaluateRules(
  compiled: CompiledRules,
  facts: RequestFacts,
  hooks: EvaluationHooks,
): Decision {
  const candidates = findCandidates(compiled.index, facts);
  let draft: Draft | undefined;
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    if (draft !== undefined && rule.phase < draft.openFrom) continue;
    if (rule.condition.failing(facts) !== undefined) continue;
    draft ??= new Draft(facts, hooks, rule);
    draft.apply(rule);
    if (draft.openFrom >= PHASES.length) break;
  }
  return draft === undefined || draft.matched.length === 0 ? NO_DECISION : draft.finish();
}

/**
 * Returns whether the decision about a request is the same for all requests with its method, host,
 * path and query. The result can be false even if the decision is the same.
 */
export function isSameForAllClients({ clientBound }: CompiledRules, facts: RequestFacts): boolean {
  const candidates = findCandidates(clientBound, facts);
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    if (rule.condition.failing(facts) === undefined) return false;
  }
  return true;
}

/**
 * Returns the target of an applied rewrite rule for a request whose path or query a pipeline has
 * changed, or `undefined` if the rule does not match the new path.
 */
export function rewriteChanged(
  compiled: CompiledRules,
  { index }: RuleRef,
  changed: Location,
): RewriteDecision | undefined {
  const rule = compiled.rules.find(({ ref }) => ref.index === index);
  if (rule === undefined || !rule.condition.holdsForPath(changed.path)) return undefined;
  return rule.effect.rewriteFrom?.(changed, capturesOf(rule, changed.path));
}

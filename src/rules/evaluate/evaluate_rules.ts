/**
 * Evaluation in the phases of the design: security, redirect, rewrite, cache,
 * pipeline, headers. Conditions see the original request in every phase.
 *
 * @module
 */
import type { CompiledRules } from "../compile/compile_rules.ts";
import {
  type CacheDecision,
  type CompiledRule,
  type HeaderEdit,
  PHASES,
  type RuleRef,
} from "../compile/compiled_rule.ts";
import type { RequestFacts } from "../facts.ts";
import { mergeQueries } from "../query.ts";
import { type CompiledTarget, expandTarget, resolvedPath } from "../target.ts";
import { encodeHeaderText, encodeUrlText, expandPieces } from "../template.ts";
import { findCandidates } from "./candidates.ts";
import {
  type Decision,
  type EvaluationHooks,
  type Hit,
  NO_DECISION,
  type PipelineDecision,
  type RewriteDecision,
  type Terminal,
} from "./decision.ts";

const SECURITY = PHASES.indexOf("security");
const PIPELINE = PHASES.indexOf("pipeline");
const ALL = PHASES.length;

const NO_CAPTURES: readonly string[] = Object.freeze([]);
const VISIBLE = /^[\x21-\x7e]*$/;

type Action<T extends CompiledRule["action"]["type"]> = Extract<
  CompiledRule["action"],
  { readonly type: T }
>;

type Location = Pick<RequestFacts, "path" | "rawQuery">;

/** The query of the request, without its `?`, as an address can hold it. */
function askedQuery({ rawQuery }: Location): string {
  return VISIBLE.test(rawQuery) ? rawQuery : encodeUrlText(rawQuery);
}

const withMark = (query: string): string => query === "" ? "" : `?${query}`;

function capturesOf(rule: CompiledRule, path: string): readonly string[] {
  return rule.usesCaptures ? rule.condition.captures(path) : NO_CAPTURES;
}

function rewriteBy(
  rule: CompiledRule,
  action: Action<"rewrite">,
  facts: Location,
): RewriteDecision {
  const target = expandTarget(action.target, capturesOf(rule, facts.path), facts.path);
  const query = mergeQueries(target.query ?? "", askedQuery(facts));
  return action.external
    ? { type: "external", url: `${target.origin}${target.path}${withMark(query)}`, rule: rule.ref }
    : { type: "internal", path: resolvedPath(target), query, rule: rule.ref };
}

type Growing = { -readonly [Key in keyof Decision]: Decision[Key] };

/** One decision in the making. */
class Verdict {
  terminal: Terminal = NO_DECISION.terminal;
  rewrite: RewriteDecision | undefined;
  cache: CacheDecision | undefined;
  pipeline: PipelineDecision | undefined;
  private headerEdits: HeaderEdit[] | undefined;
  private hits: Hit[] | undefined;
  readonly matched: number[] = [];
  /** Phases before this one take no more rules. */
  openFrom = SECURITY;
  private fileExists: boolean | undefined;

  constructor(private readonly facts: RequestFacts, private readonly hooks: EvaluationHooks) {}

  /** Applies a rule whose condition holds. */
  apply(rule: CompiledRule): void {
    const { action } = rule;
    if ("ifNoFile" in action && action.ifNoFile && this.hasFile()) return;
    this.matched.push(rule.ref.index);
    switch (action.type) {
      case "allow":
        return this.close(rule.phase);
      case "log":
        return this.hit("log", rule);
      case "deny":
        return this.deny(rule, action);
      case "rate_limit":
        return this.limit(rule, action);
      case "redirect":
        return this.redirect(rule, action);
      case "rewrite":
        return this.rewriteTo(rule, action);
      case "cache":
        this.cache = action.decision;
        return this.close(rule.phase);
      case "pipeline":
        this.pipeline = { steps: action.steps, rule: rule.ref };
        return this.close(rule.phase);
      case "edit_headers":
        (this.headerEdits ??= []).push(...action.edits);
        return;
      case "build_headers":
        return this.buildHeaders(rule, action);
    }
  }

  finish(): Decision {
    const { terminal, rewrite, cache, pipeline, headerEdits, hits, matched } = this;
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

  private close(phase: number): void {
    this.openFrom = phase + 1;
  }

  private hit(type: Hit["type"], rule: CompiledRule): void {
    (this.hits ??= []).push({ type, rule: rule.ref });
  }

  private hasFile(): boolean {
    this.fileExists ??= this.hooks.fileExists(this.facts.path);
    return this.fileExists;
  }

  private captures(rule: CompiledRule): readonly string[] {
    return capturesOf(rule, this.facts.path);
  }

  private expand(rule: CompiledRule, target: CompiledTarget) {
    return expandTarget(target, this.captures(rule), this.facts.path);
  }

  private deny(rule: CompiledRule, action: Action<"deny">): void {
    if (action.mode === "shadow") return this.hit("would_deny", rule);
    this.hit("deny", rule);
    this.terminal = { type: "deny", status: action.statusCode, rule: rule.ref };
    this.close(ALL);
  }

  private limit(rule: CompiledRule, action: Action<"rate_limit">): void {
    if (!this.hooks.rateLimited(rule.ref, action)) return;
    if (action.mode === "shadow") return this.hit("would_rate_limit", rule);
    this.hit("rate_limit", rule);
    this.terminal = { type: "rate_limited", action, rule: rule.ref };
    this.close(ALL);
  }

  private redirect(rule: CompiledRule, action: Action<"redirect">): void {
    const { origin, path, query, fragment } = this.expand(rule, action.target);
    const asked = withMark(query ?? askedQuery(this.facts));
    const location = `${origin}${path}${asked}${fragment}`;
    this.terminal = { type: "redirect", status: action.statusCode, location, rule: rule.ref };
    this.close(PIPELINE);
  }

  private rewriteTo(rule: CompiledRule, action: Action<"rewrite">): void {
    this.rewrite = rewriteBy(rule, action, this.facts);
    this.close(rule.phase);
  }

  private buildHeaders(rule: CompiledRule, action: Action<"build_headers">): void {
    const captures = this.captures(rule);
    for (const [name, pieces] of action.headers) {
      const value = encodeHeaderText(expandPieces(pieces, captures));
      (this.headerEdits ??= []).push({ type: "set", name, value });
    }
  }
}

/**
 * Says what the rules want for a request. Its cost grows with the length of the
 * path and with the rules that host, path and method leave, not with the set.
 */
export function evaluateRules(
  compiled: CompiledRules,
  facts: RequestFacts,
  hooks: EvaluationHooks,
): Decision {
  const candidates = findCandidates(compiled.index, facts);
  let verdict: Verdict | undefined;
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    if (verdict !== undefined && rule.phase < verdict.openFrom) continue;
    if (rule.condition.failing(facts) !== undefined) continue;
    verdict ??= new Verdict(facts, hooks);
    verdict.apply(rule);
    if (verdict.openFrom > ALL) break;
  }
  return verdict === undefined || verdict.matched.length === 0 ? NO_DECISION : verdict.finish();
}

/**
 * Whether the decision about a request is the same for all that have its
 * method, host, path and query. It may be said to be another where it is not.
 */
export function isDecidedByTarget({ clientBound }: CompiledRules, facts: RequestFacts): boolean {
  const candidates = findCandidates(clientBound, facts);
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    if (rule.condition.failing(facts) === undefined) return false;
  }
  return true;
}

/**
 * Where a rewrite rule that has taken effect leads a request whose path or query
 * a pipeline has changed since; `undefined` where the rule's path does not match
 * the changed one.
 */
export function rewriteChanged(
  compiled: CompiledRules,
  { index }: RuleRef,
  changed: Location,
): RewriteDecision | undefined {
  const rule = compiled.rules.find(({ ref }) => ref.index === index);
  if (rule?.action.type !== "rewrite" || !rule.condition.holdsForPath(changed.path)) {
    return undefined;
  }
  return rewriteBy(rule, rule.action, changed);
}

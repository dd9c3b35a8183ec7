/**
 * What the rules say about one request. The edge performs it.
 *
 * @module
 */
import type { CacheDecision, HeaderEdit, RuleRef } from "../compile/compiled_rule.ts";
import type { PipelineStep, RuntimeAction } from "../types.ts";

export type { CacheDecision, RuleRef } from "../compile/compiled_rule.ts";

export type RateLimitAction = Extract<RuntimeAction, { readonly type: "rate_limit" }>;

/** An answer that the rules give themselves. */
export type Terminal =
  | { readonly type: "none" }
  | { readonly type: "deny"; readonly status: number; readonly rule: RuleRef }
  | { readonly type: "rate_limited"; readonly action: RateLimitAction; readonly rule: RuleRef }
  | {
    readonly type: "redirect";
    readonly status: number;
    /** A path of this site, or an absolute URL; visible ASCII. */
    readonly location: string;
    readonly rule: RuleRef;
  };

export type RewriteDecision =
  | {
    readonly type: "internal";
    /** Normalized. */
    readonly path: string;
    /** Without its `?`. */
    readonly query: string;
    readonly rule: RuleRef;
  }
  | { readonly type: "external"; readonly url: string; readonly rule: RuleRef };

export interface PipelineDecision {
  readonly steps: readonly PipelineStep[];
  readonly rule: RuleRef;
}

/** Something for the log: `would_…` is what a shadow rule would have done. */
export interface Hit {
  readonly type: "log" | "deny" | "would_deny" | "rate_limit" | "would_rate_limit";
  readonly rule: RuleRef;
}

export interface Decision {
  readonly terminal: Terminal;
  readonly rewrite?: RewriteDecision;
  readonly cache?: CacheDecision;
  readonly pipeline?: PipelineDecision;
  /** In authored order, for every answer; none with a deny or a rate limit. */
  readonly headerEdits: readonly HeaderEdit[];
  readonly hits: readonly Hit[];
  /** The rules that took effect or were recorded, by index, in the order of evaluation. */
  readonly matched: readonly number[];
}

/** What evaluation asks the edge; each is asked only where a rule needs the answer. */
export interface EvaluationHooks {
  /** True where a static file answers the normalized path. Asked at most once per request. */
  fileExists(path: string): boolean;
  /** Counts the request against the rule's limit and tells whether it is over; shadow rules too. */
  rateLimited(rule: RuleRef, action: RateLimitAction): boolean;
}

/** No rule had anything to say. */
export const NO_DECISION: Decision = Object.freeze({
  terminal: Object.freeze({ type: "none" }),
  headerEdits: Object.freeze([]),
  hits: Object.freeze([]),
  matched: Object.freeze([]),
});

/** @module The rules' decision about one request. The edge carries it out. */
import type { PipelineStep } from "./pipeline_steps.ts";
import type { RateLimitKey, VaryDimension } from "./vocabulary.ts";

/** The phases of an evaluation, in order. */
export const PHASES = ["security", "redirect", "rewrite", "cache", "pipeline", "headers"] as const;
export type Phase = (typeof PHASES)[number];

/** The last phase; no rules run after it. */
export const LAST_PHASE: Phase = "headers";

/** Identifies a rule; `index` is its position in the runtime rule set. */
export interface RuleRef {
  readonly id: string;
  /** The index of the counter that the rule increments. */
  readonly index: number;
}

/** A change to the response's headers. */
export type HeaderEdit =
  | {
    readonly type: "set";
    readonly name: string;
    readonly value: string;
    /** Whether failures also get the header if it sets a lifetime. */
    readonly onFailure?: boolean;
  }
  | { readonly type: "remove"; readonly name: string };

/** The names of the headers, cookies and query parameters in `vary`. */
export interface VaryNames {
  /** In lower case. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  readonly query: readonly string[];
}

/** The decision of a `cache` or `bypass_cache` rule, which is the same for all requests. */
export type CacheDecision =
  | {
    readonly type: "cache";
    readonly ttlSeconds: number;
    readonly swrSeconds: number;
    readonly vary: readonly VaryDimension[];
    /** The header, cookie and query names in the rule's condition. */
    readonly varyNames: VaryNames;
    readonly rule: RuleRef;
  }
  | { readonly type: "bypass"; readonly rule: RuleRef };

/** Whether a rule acts, or only records its effect. */
export type EnforceMode = "shadow" | "enforce";

/** A limit on the number of requests, which the edge counts. */
export interface RateLimitAction {
  readonly type: "rate_limit";
  readonly limit: number;
  readonly windowSeconds: number;
  readonly key: RateLimitKey;
  readonly mode: EnforceMode;
  /**
   * Whether each front edge counts requests itself, instead of leaving the count to the platform.
   */
  readonly local?: boolean;
}

/** A response that the rules themselves determine. */
export type Terminal =
  | { readonly type: "none" }
  | { readonly type: "deny"; readonly status: number; readonly rule: RuleRef }
  | { readonly type: "rate_limited"; readonly action: RateLimitAction; readonly rule: RuleRef }
  | {
    readonly type: "redirect";
    readonly status: number;
    /** A path on this site, or an absolute URL; visible ASCII. */
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
    /** Whether the rule applies only to paths without a file. */
    readonly ifNoFile?: true;
    readonly rule: RuleRef;
  }
  | { readonly type: "external"; readonly url: string; readonly rule: RuleRef };

export interface PipelineDecision {
  readonly steps: readonly PipelineStep[];
  readonly rule: RuleRef;
}

/** An entry for the log; `would_…` is what a shadow rule would have done. */
export interface Hit {
  readonly type: "log" | "deny" | "would_deny" | "rate_limit" | "would_rate_limit";
  readonly rule: RuleRef;
}

export interface Decision {
  readonly terminal: Terminal;
  readonly rewrite?: RewriteDecision;
  readonly cache?: CacheDecision;
  readonly pipeline?: PipelineDecision;
  /**
   * Edits to every response, in authored order. There are none if the request is denied or rate
   * limited.
   */
  readonly headerEdits: readonly HeaderEdit[];
  readonly hits: readonly Hit[];
  /** The rules that took effect or were recorded, by index, in the order of evaluation. */
  readonly matched: readonly number[];
}

/** Edge functions that the evaluation calls, each only if a rule needs it. */
export interface EvaluationHooks {
  /**
   * Returns true if a static file serves the normalized path. It is called at most once per
   * request.
   */
  fileExists(path: string): boolean;
  /**
   * Counts the request against the rule's limit. Returns true if the limit is exceeded. It is
   * called for shadow rules, too.
   */
  rateLimited(rule: RuleRef, action: RateLimitAction): boolean;
}

/** The decision if no rule applies. */
export const NO_DECISION: Decision = Object.freeze({
  terminal: Object.freeze({ type: "none" }),
  headerEdits: Object.freeze([]),
  hits: Object.freeze([]),
  matched: Object.freeze([]),
});

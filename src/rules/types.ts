/**
 * The edge rule set: what an author writes (spec: "Edge rule set") and what
 * the edge runs. Both are plain JSON; the runtime form is the authored form
 * with every alias resolved, every default filled in and every name in its
 * canonical spelling, so that a runtime set is itself a valid authored set.
 *
 * @module
 */
import type { NormalConditions, RawConditions } from "./conditions/conditions.ts";
import type { METHODS_ALIAS } from "./conditions/methods.ts";
import type { Method, RateLimitKey, VaryDimension } from "./vocabulary.ts";

export type { PathMatch, RuntimePath } from "./conditions/path/types.ts";
export type { GlobToken } from "./glob.ts";
export type { Device, Method, RateLimitKey, VaryDimension } from "./vocabulary.ts";

export const SCHEMA_VERSION = "EDGE_RULE_SET_V1";

export type EnforceMode = "shadow" | "enforce";

/** The fields of a condition that may also stand in `any` and `not`. */
export type LeafCondition = Partial<RawConditions> & {
  /** Alias of `methods`. */
  readonly [METHODS_ALIAS]?: readonly Method[];
};

export interface Condition extends LeafCondition {
  readonly any?: readonly LeafCondition[];
  readonly not?: LeafCondition;
}

export interface FunctionStep {
  readonly use: string;
  readonly mode: "request" | "response" | "observe";
  readonly as?: string;
  readonly failure?: "closed" | "open";
  readonly cachePosition?: "before" | "after";
}

export interface HandleStep {
  readonly handle: string;
}

export type PipelineStep = FunctionStep | HandleStep;

export type Action =
  | { readonly type: "allow" }
  | { readonly type: "log" }
  | { readonly type: "deny"; readonly statusCode?: number; readonly mode?: EnforceMode }
  | {
    readonly type: "redirect";
    readonly target: string;
    readonly statusCode?: number;
    readonly ifNoFile?: boolean;
  }
  | {
    readonly type: "rewrite";
    readonly target: string;
    readonly external?: boolean;
    readonly ifNoFile?: boolean;
  }
  | { readonly type: "set_headers"; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: "remove_headers"; readonly headers: readonly string[] }
  | {
    readonly type: "cache";
    readonly ttlSeconds: number;
    readonly swrSeconds?: number;
    readonly vary?: readonly VaryDimension[];
  }
  | { readonly type: "bypass_cache" }
  | {
    readonly type: "pipeline";
    readonly steps: readonly PipelineStep[];
    readonly override?: boolean;
    readonly inheritGate?: boolean;
  }
  | {
    readonly type: "rate_limit";
    readonly limit: number;
    readonly windowSeconds: number;
    readonly key?: RateLimitKey;
    readonly mode?: EnforceMode;
  };

export type ActionType = Action["type"];

export interface Rule {
  readonly id: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly condition?: Condition;
  readonly action: Action;
}

export interface RuleSource {
  readonly origin: "build" | "ui";
  readonly revisionId?: string;
}

/** The rule set as authored: it has passed the schema, nothing more. */
export interface RuleSet {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly source?: RuleSource;
  readonly rules: readonly Rule[];
}

/** Host in punycode, header names in lower case, countries in upper case, CIDRs masked. */
export type RuntimeLeaf = Partial<NormalConditions>;

export interface RuntimeCondition extends RuntimeLeaf {
  readonly any?: readonly RuntimeLeaf[];
  readonly not?: RuntimeLeaf;
}

/** An action with every default of the design filled in. */
export type RuntimeAction =
  | { readonly type: "allow" }
  | { readonly type: "log" }
  | { readonly type: "deny"; readonly statusCode: number; readonly mode: EnforceMode }
  | {
    readonly type: "redirect";
    readonly target: string;
    readonly statusCode: number;
    readonly ifNoFile: boolean;
  }
  | {
    readonly type: "rewrite";
    readonly target: string;
    readonly external: boolean;
    readonly ifNoFile: boolean;
  }
  | { readonly type: "set_headers"; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: "remove_headers"; readonly headers: readonly string[] }
  | {
    readonly type: "cache";
    readonly ttlSeconds: number;
    readonly swrSeconds: number;
    readonly vary: readonly VaryDimension[];
  }
  | { readonly type: "bypass_cache" }
  | {
    readonly type: "pipeline";
    readonly steps: readonly PipelineStep[];
    readonly override: boolean;
    readonly inheritGate: boolean;
  }
  | {
    readonly type: "rate_limit";
    readonly limit: number;
    readonly windowSeconds: number;
    readonly key: RateLimitKey;
    readonly mode: EnforceMode;
  };

export interface RuntimeRule {
  readonly id: string;
  readonly name?: string;
  readonly enabled: boolean;
  readonly condition: RuntimeCondition;
  readonly action: RuntimeAction;
}

/** The normalized rule set that the edge compiles. */
export interface RuntimeRuleSet {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly source?: RuleSource;
  readonly rules: readonly RuntimeRule[];
}

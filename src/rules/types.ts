/**
 * The edge rule set: what an author writes (spec: "Edge rule set") and what
 * the edge runs. Both are plain JSON; the runtime form is the authored form
 * with every alias resolved, every default filled in and every name in its
 * canonical spelling, so that a runtime set is itself a valid authored set.
 *
 * @module
 */

export const SCHEMA_VERSION = "EDGE_RULE_SET_V1";

export const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;
export type Method = (typeof METHODS)[number];

export const DEVICES = ["desktop", "mobile", "tablet", "bot"] as const;
export type Device = (typeof DEVICES)[number];

export const VARY_DIMENSIONS = ["geo", "asn", "device", "header", "cookie", "query"] as const;
export type VaryDimension = (typeof VARY_DIMENSIONS)[number];

export const RATE_LIMIT_KEYS = ["ip", "ip_path", "ip_host", "host"] as const;
export type RateLimitKey = (typeof RATE_LIMIT_KEYS)[number];

export type EnforceMode = "shadow" | "enforce";

export interface PathMatch {
  readonly type: "exact" | "prefix" | "glob";
  readonly value: string;
}

/** The fields of a condition that may also stand in `any` and `not`. */
export interface LeafCondition {
  readonly path?: PathMatch;
  readonly methods?: readonly Method[];
  /** Alias of `methods`. */
  readonly method?: readonly Method[];
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly geo?: readonly string[];
  readonly asn?: readonly number[];
  readonly device?: Device;
  readonly sourceIpCidrs?: readonly string[];
}

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

/**
 * One part of a parsed glob. `text` is literal; `any` is `*` (inside one
 * segment), `deep` is `**` (across segments), `one` is `?`; `capture` is a
 * whole non-empty segment, `splat` the rest of the path, possibly empty.
 */
export type GlobToken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "any" }
  | { readonly type: "deep" }
  | { readonly type: "one" }
  | { readonly type: "capture"; readonly name: string }
  | { readonly type: "splat"; readonly name: string };

export interface RuntimePath extends PathMatch {
  /** The parsed form of `value`; present for globs only. */
  readonly tokens?: readonly GlobToken[];
}

/** Host in punycode, header names in lower case, countries in upper case, CIDRs masked. */
export interface RuntimeLeaf extends Omit<LeafCondition, "method"> {
  readonly path?: RuntimePath;
}

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

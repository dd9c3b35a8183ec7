/**
 * @module The edge rule set, in authored form and in runtime form. Both are plain JSON. The runtime
 * form is the authored form with aliases resolved, defaults filled in and names in canonical
 * spelling, so it is also a valid authored set.
 */
import type { Action, RuntimeAction } from "../actions/actions.ts";
import type { Condition, RuntimeCondition } from "../conditions/condition.ts";

export type { Action, ActionType, RuntimeAction } from "../actions/actions.ts";
export type {
  Condition,
  LeafCondition,
  RuntimeCondition,
  RuntimeLeaf,
} from "../conditions/condition.ts";
export type { PathMatch, RuntimePath } from "../conditions/path/types.ts";
export type { EnforceMode } from "../decision.ts";
export type { GlobToken } from "../pattern/glob.ts";
export type { FunctionStep, HandleStep, PipelineStep } from "../pipeline_steps.ts";
export type { Device, Method, RateLimitKey, VaryDimension } from "../vocabulary.ts";

export const SCHEMA_VERSION = "EDGE_RULE_SET_V1";

export interface Rule {
  readonly id: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly condition?: Condition;
  readonly action: Action;
}

interface RuleSource {
  readonly origin: "build" | "ui";
  readonly revisionId?: string;
}

/** The rule set as written. It has been checked only against the schema. */
export interface RuleSet {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly source?: RuleSource;
  readonly rules: readonly Rule[];
}

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

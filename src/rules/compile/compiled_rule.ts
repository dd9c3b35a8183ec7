/**
 * One rule ready to run.
 *
 * @module
 */
import { type CompiledTarget, compileTarget, parseTarget } from "../target.ts";
import { type CompiledText, compileHeaderValue } from "../template.ts";
import type {
  ActionType,
  RuntimeAction,
  RuntimeCondition,
  RuntimeRule,
  VaryDimension,
} from "../types.ts";
import { ConditionMatcher } from "./condition.ts";

/** The phases of the design, in their order. */
export const PHASES = ["security", "redirect", "rewrite", "cache", "pipeline", "headers"] as const;
export type Phase = (typeof PHASES)[number];

const PHASE_OF: Readonly<Record<ActionType, Phase>> = {
  allow: "security",
  log: "security",
  deny: "security",
  rate_limit: "security",
  redirect: "redirect",
  rewrite: "rewrite",
  cache: "cache",
  bypass_cache: "cache",
  pipeline: "pipeline",
  set_headers: "headers",
  remove_headers: "headers",
};

/** The phase in which rules with this action run. */
export function phaseOf(type: ActionType): Phase {
  return PHASE_OF[type];
}

/** A change of the answer's headers. */
export type HeaderEdit =
  | { readonly type: "set"; readonly name: string; readonly value: string }
  | { readonly type: "remove"; readonly name: string };

/** The names by which `header`, `cookie` and `query` in `vary` are meant. */
export interface VaryNames {
  /** In lower case. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  readonly query: readonly string[];
}

/** What to do, without anything left to parse. */
export type CompiledAction =
  | Exclude<
    RuntimeAction,
    {
      readonly type:
        | "redirect"
        | "rewrite"
        | "set_headers"
        | "remove_headers"
        | "cache"
        | "bypass_cache";
    }
  >
  | { readonly type: "cache"; readonly decision: CacheDecision }
  | {
    readonly type: "redirect";
    readonly target: CompiledTarget;
    readonly statusCode: number;
    readonly ifNoFile: boolean;
  }
  | {
    readonly type: "rewrite";
    readonly target: CompiledTarget;
    readonly external: boolean;
    readonly ifNoFile: boolean;
  }
  | { readonly type: "edit_headers"; readonly edits: readonly HeaderEdit[] }
  | {
    readonly type: "build_headers";
    readonly headers: readonly (readonly [name: string, value: CompiledText])[];
  };

/** Names a rule; `index` is its place in the runtime rule set. */
export interface RuleRef {
  readonly id: string;
  /** What counters per rule are kept by. */
  readonly index: number;
}

/** What a `cache` or `bypass_cache` rule says, the same for all requests. */
export type CacheDecision =
  | {
    readonly type: "cache";
    readonly ttlSeconds: number;
    readonly swrSeconds: number;
    readonly vary: readonly VaryDimension[];
    /** What the condition of the rule asks for. */
    readonly varyNames: VaryNames;
    readonly rule: RuleRef;
  }
  | { readonly type: "bypass"; readonly rule: RuleRef };

export interface CompiledRule {
  /** Shared by all decisions that name the rule. */
  readonly ref: RuleRef;
  /** Place in the order of evaluation, over all phases. */
  readonly rank: number;
  /** Index into `PHASES`. */
  readonly phase: number;
  readonly condition: ConditionMatcher;
  readonly action: CompiledAction;
  /** True where the action needs the captures of the path. */
  readonly usesCaptures: boolean;
}

/** The status of a redirect whose own is no 3xx (design: "Rules"). */
const DEFAULT_REDIRECT_STATUS = 302;

function compileTargetOf(rule: RuntimeRule, target: string, names: readonly string[]) {
  const parsed = parseTarget(target);
  if ("problems" in parsed) {
    throw new TypeError(`Can not compile the target of rule "${rule.id}": it is "${target}"`);
  }
  return compileTarget(parsed.target, names);
}

function compileHeaders(headers: Readonly<Record<string, string>>, names: readonly string[]) {
  const compiled = Object.entries(headers).map(([name, value]) =>
    [name, compileHeaderValue(value, names)] as const
  );
  if (compiled.some(([, pieces]) => pieces.some((piece) => typeof piece === "number"))) {
    return { type: "build_headers", headers: compiled } as const;
  }
  const edits = compiled.map(([name, pieces]) =>
    ({ type: "set", name, value: pieces.join("") }) as const
  );
  return { type: "edit_headers", edits } as const;
}

/** The header, cookie and query names that a condition asks for, each once. */
function askedNames(condition: RuntimeCondition): VaryNames {
  const leaves = [condition, ...condition.any ?? [], ...condition.not ? [condition.not] : []];
  const names = (
    field: "headers" | "cookies" | "query",
  ) => [...new Set(leaves.flatMap((leaf) => Object.keys(leaf[field] ?? {})))];
  const headers = [...new Set(names("headers").map((name) => name.toLowerCase()))];
  return { headers, cookies: names("cookies"), query: names("query") };
}

function compileAction(
  rule: RuntimeRule,
  ref: RuleRef,
  names: readonly string[],
): CompiledAction {
  const { action } = rule;
  switch (action.type) {
    case "redirect": {
      const isRedirect = action.statusCode >= 300 && action.statusCode <= 399;
      const statusCode = isRedirect ? action.statusCode : DEFAULT_REDIRECT_STATUS;
      return { ...action, statusCode, target: compileTargetOf(rule, action.target, names) };
    }
    case "rewrite": {
      const target = compileTargetOf(rule, action.target, names);
      if (action.external === (target.origin === "")) {
        throw new TypeError(`Can not compile rule "${rule.id}": "external" contradicts its target`);
      }
      return { ...action, target };
    }
    case "set_headers":
      return compileHeaders(action.headers, names);
    case "cache": {
      const { ttlSeconds, swrSeconds, vary } = action;
      const varyNames = askedNames(rule.condition);
      const decision = {
        type: "cache",
        ttlSeconds,
        swrSeconds,
        vary,
        varyNames,
        rule: ref,
      } as const;
      return { type: "cache", decision };
    }
    case "bypass_cache":
      return { type: "cache", decision: { type: "bypass", rule: ref } };
    case "remove_headers": {
      const edits = action.headers.map((name) => ({ type: "remove", name }) as const);
      return { type: "edit_headers", edits };
    }
    default:
      return action;
  }
}

/** A rule before its place in the order of evaluation is known. */
export type UnrankedRule = Omit<CompiledRule, "rank">;

/** Compiles one rule. Throws TypeError for what the validation would have refused. */
export function compileRule(rule: RuntimeRule, index: number): UnrankedRule {
  const ref: RuleRef = Object.freeze({ id: rule.id, index });
  const condition = new ConditionMatcher(rule.condition);
  const action = compileAction(rule, ref, condition.captureNames);
  const usesCaptures = condition.captureNames.length > 0 &&
    (action.type === "redirect" || action.type === "rewrite" || action.type === "build_headers");
  const phase = PHASES.indexOf(phaseOf(rule.action.type));
  return { ref, phase, condition, action, usesCaptures };
}

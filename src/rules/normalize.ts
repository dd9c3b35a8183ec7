/**
 * From the authored rule set to the one that the edge runs: one spelling for
 * every name, every alias resolved, every default filled in.
 *
 * @module
 */
import {
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type NormalConditions,
  type RawConditions,
} from "./conditions/conditions.ts";
import { unique } from "./conditions/lists.ts";
import { METHODS_ALIAS } from "./conditions/methods.ts";
import { lowerCaseNames } from "./header_map.ts";
import { hostOrSame, splitAuthority } from "./host.ts";
import { isHandleStep } from "./schema.ts";
import { parseTarget } from "./target.ts";
import type {
  Action,
  Condition,
  LeafCondition,
  PipelineStep,
  Rule,
  RuleSet,
  RuntimeAction,
  RuntimeCondition,
  RuntimeLeaf,
  RuntimeRule,
  RuntimeRuleSet,
} from "./types.ts";
import { VARY_DIMENSIONS } from "./vocabulary.ts";

const DEFAULT_DENY = 403;
const DEFAULT_REDIRECT = 302;

/** Leaves out the fields that are not there, so that equal rules are equal objects. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** The leaf with both spellings of the method list as one. */
function withoutAlias({ [METHODS_ALIAS]: alias, ...leaf }: LeafCondition): Partial<RawConditions> {
  if (alias === undefined) return leaf;
  return { ...leaf, methods: [...leaf.methods ?? [], ...alias] };
}

function normalizeField<F extends ConditionName>(
  field: F,
  value: RawConditions[F] | undefined,
): NormalConditions[F] | undefined {
  return value === undefined ? undefined : CONDITIONS[field].normalize(value);
}

function normalizeLeaf(leaf: LeafCondition): RuntimeLeaf {
  const raw = withoutAlias(leaf);
  return defined(
    Object.fromEntries(
      CONDITION_NAMES.map((field) => [field, normalizeField(field, raw[field])]),
    ) as RuntimeLeaf,
  );
}

function normalizeCondition(condition: Condition): RuntimeCondition {
  return defined({
    ...normalizeLeaf(condition),
    any: condition.any?.map(normalizeLeaf),
    not: condition.not && normalizeLeaf(condition.not),
  });
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" };

/** The target with scheme and host in their one spelling; all after the host as it was. */
function normalizeTarget(value: string): string {
  const parsed = parseTarget(value);
  if (!("target" in parsed) || parsed.target.kind !== "absolute") return value;
  const { scheme, authority } = parsed.target;
  const { host, port } = splitAuthority(authority);
  const shownPort = port === undefined || Number(port) === Number(DEFAULT_PORTS[scheme])
    ? ""
    : `:${Number(port)}`;
  const rest = value.slice(scheme.length + "://".length + authority.length);
  return `${scheme}://${hostOrSame(host)}${shownPort}${rest}`;
}

/** True for a status that tells a client to go elsewhere. */
export function isRedirectStatus(statusCode: number): boolean {
  return statusCode >= 300 && statusCode <= 399;
}

function normalizeStep(step: PipelineStep): PipelineStep {
  if (isHandleStep(step)) return { handle: step.handle };
  const { use, mode, as, failure, cachePosition } = step;
  return defined({ use, mode, as, failure, cachePosition });
}

function normalizeAction(action: Action): RuntimeAction {
  switch (action.type) {
    case "allow":
    case "log":
    case "bypass_cache":
      return { type: action.type };
    case "deny": {
      const { type, statusCode = DEFAULT_DENY, mode = "enforce" } = action;
      return { type, statusCode, mode };
    }
    case "redirect": {
      const { type, statusCode = DEFAULT_REDIRECT, ifNoFile = false } = action;
      return {
        type,
        target: normalizeTarget(action.target),
        statusCode: isRedirectStatus(statusCode) ? statusCode : DEFAULT_REDIRECT,
        ifNoFile,
      };
    }
    case "rewrite": {
      const { type, external = false, ifNoFile = false } = action;
      return { type, target: normalizeTarget(action.target), external, ifNoFile };
    }
    case "set_headers":
      return { type: action.type, headers: lowerCaseNames(action.headers) };
    case "remove_headers":
      return {
        type: action.type,
        headers: unique(action.headers.map((name) => name.toLowerCase())),
      };
    case "cache": {
      const { type, ttlSeconds, swrSeconds = 0, vary = [] } = action;
      const canonical = VARY_DIMENSIONS.filter((dimension) => vary.includes(dimension));
      return { type, ttlSeconds, swrSeconds, vary: canonical };
    }
    case "pipeline": {
      const { type, steps, override = false, inheritGate = true } = action;
      return { type, steps: steps.map(normalizeStep), override, inheritGate };
    }
    case "rate_limit": {
      const { type, limit, windowSeconds, key = "ip", mode = "enforce" } = action;
      return { type, limit, windowSeconds, key, mode };
    }
  }
}

/** Normalizes one rule that has passed validation. */
export function normalizeRule(rule: Rule): RuntimeRule {
  return defined({
    id: rule.id,
    name: rule.name,
    enabled: rule.enabled ?? true,
    condition: normalizeCondition(rule.condition ?? {}),
    action: normalizeAction(rule.action),
  });
}

/**
 * Normalizes a rule set that has passed validation (design: "What the spec
 * leaves open"). Applying it twice changes nothing; the order of the rules stays.
 */
export function normalizeRules(ruleSet: RuleSet): RuntimeRuleSet {
  return defined({
    schemaVersion: ruleSet.schemaVersion,
    source: ruleSet.source && defined({
      origin: ruleSet.source.origin,
      revisionId: ruleSet.source.revisionId,
    }),
    rules: ruleSet.rules.map(normalizeRule),
  });
}

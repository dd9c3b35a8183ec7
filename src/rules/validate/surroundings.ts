/**
 * @module Checks whether the environment meets a rule set's requirements: functions and geo
 * databases.
 */
import { nearest } from "../../lib/suggest.ts";
import { type CheckedRule, leavesOfRule, rulePath } from "../rule_set/checked_rule.ts";
import type { RuntimeRuleSet } from "../rule_set/types.ts";
import { errorAt, type Finding, joinNames, warningAt } from "../finding.ts";
import { isHandleStep, ORIGIN_HANDLE } from "../pipeline_steps.ts";

/** Known facts about the environment. Requirements that depend on unknown facts are not checked. */
export interface Surroundings {
  /** Names of the functions that pipelines can use. */
  readonly functions?: readonly string[] | undefined;
  /**
   * Returns whether the site has an `index.html` in a folder, given as a path such as `/internal`.
   */
  readonly hasFolderPage?: ((folder: string) => boolean) | undefined;
  /** Whether the edge can find the network (ASN) of an address. */
  readonly hasAsn?: boolean | undefined;
  /** Whether the edge can find the country of an address. */
  readonly hasCountries?: boolean | undefined;
  /** Number of nodes. Each node counts requests separately. */
  readonly nodes?: number | undefined;
}

/** Code of the warning that no request can meet a condition on networks. */
export const ASN_UNKNOWN = "asn_unknown";

/** Code of the warning that no request can meet a condition on countries. */
export const GEO_UNKNOWN = "geo_unknown";

/**
 * Code of the warning that several nodes together let through more requests than a limit allows.
 */
export const LIMIT_PER_NODE = "limit_per_node";

/** Maximum number of names that a hint lists. */
const MAX_NAMED = 12;

function knownNames(functions: readonly string[]): string {
  if (functions.length === 0) return "The project has no functions: add them to functions/";
  const shown = functions.slice(0, MAX_NAMED).map((name) => `"${name}"`);
  const more = functions.length > MAX_NAMED ? [`${functions.length - MAX_NAMED} more`] : [];
  return `The project has ${joinNames([...shown, ...more])}`;
}

/** Reports steps of enabled pipelines whose function does not exist. */
function* checkFunctionNames(
  checked: CheckedRule,
  functions: readonly string[],
): Generator<Finding> {
  const { action, enabled } = checked.rule;
  if (action.type !== "pipeline" || enabled === false) return;
  for (const [index, step] of action.steps.entries()) {
    const [field, name] = isHandleStep(step) ? ["handle", step.handle] : ["use", step.use];
    if ((field === "handle" && name === ORIGIN_HANDLE) || functions.includes(name)) continue;
    const meant = nearest(name, field === "handle" ? [...functions, ORIGIN_HANDLE] : functions);
    yield errorAt([...rulePath(checked), "action", "steps", index, field], {
      code: "unknown_function",
      message: `Use one of the project's functions: none is named "${name}"`,
      hint: meant === undefined ? knownNames(functions) : `Did you mean "${meant}"?`,
    });
  }
}

/** Reports conditions on networks, which no request meets if the edge cannot look up networks. */
function* warnAsn(checked: CheckedRule): Generator<Finding> {
  if (checked.rule.enabled === false) return;
  for (const { leaf, path } of leavesOfRule(checked)) {
    if (leaf.asn === undefined) continue;
    yield warningAt([...path, "asn"], {
      code: ASN_UNKNOWN,
      message:
        "Start the platform with --asn: without an ASN database, conditions on asn never match",
      hint: "A trusted proxy can also send the network in X-Geo-ASN",
    });
  }
}

/** Reports conditions on countries, which no request meets if the edge cannot look up countries. */
function* warnGeo(checked: CheckedRule): Generator<Finding> {
  if (checked.rule.enabled === false) return;
  for (const { leaf, path } of leavesOfRule(checked)) {
    if (leaf.geo === undefined) continue;
    yield warningAt([...path, "geo"], {
      code: GEO_UNKNOWN,
      message:
        "Repair the platform's country database: svc cannot read it, so conditions on geo never match",
      hint:
        "The platform's log has the reason. A trusted proxy can also send the country in X-Geo-Country",
    });
  }
}

/** Reports rate limits that several nodes together can exceed. */
function* warnLimits(checked: CheckedRule, nodes: number): Generator<Finding> {
  const { action, enabled } = checked.rule;
  if (action.type !== "rate_limit" || enabled === false) return;
  yield warningAt([...rulePath(checked), "action", "limit"], {
    code: LIMIT_PER_NODE,
    message: `Set the limit for each node: the platform has ${nodes} nodes, ` +
      `which count separately, so up to ${nodes * action.limit} requests pass`,
    hint: "A rate limit stops floods. For an exact quota, count requests in the application",
  });
}

/** Reports a rule's requirements that the environment does not meet. */
export function* checkSurroundings(
  checked: CheckedRule,
  { functions, hasAsn, hasCountries, nodes = 1 }: Surroundings,
): Generator<Finding> {
  if (functions !== undefined) yield* checkFunctionNames(checked, functions);
  if (hasAsn === false) yield* warnAsn(checked);
  if (hasCountries === false) yield* warnGeo(checked);
  if (nodes > 1) yield* warnLimits(checked, nodes);
}

/** Returns the IDs of the enabled rules with a condition on networks. */
export function asksForAsn({ rules }: RuntimeRuleSet): string[] {
  return rules.filter(({ enabled, condition: { any, not, ...leaf } }) =>
    enabled && [leaf, ...any ?? [], ...not ? [not] : []].some(({ asn }) => asn !== undefined)
  ).map(({ id }) => id);
}

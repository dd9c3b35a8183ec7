/** @module The condition `headers`: request headers with these values, names in lower case. */
import { checkHeaderMap, lowerCaseNames } from "../request/header_map.ts";
import type { RequestFacts } from "../request/facts.ts";
import { textMap } from "../schema_parts.ts";
import type { ConditionType } from "./condition_type.ts";
import {
  compileNamed,
  createNamedIndex,
  explainNamed,
  namedContain,
  type NamedFacts,
  type NamedValues,
} from "./named_values.ts";

/** Equal to the whole value, or to one item of a list such as `gzip, br` or several header lines. */
function headerHas(value: string | undefined, wanted: string): boolean {
  if (value === undefined || value === wanted) return value === wanted;
  return value.includes(",") && value.split(",").some((item) => item.trim() === wanted);
}

const FACTS: NamedFacts = {
  seen: (facts, name) => [facts.header(name)].filter((value) => value !== undefined),
  candidates(facts: RequestFacts, name: string) {
    const value = facts.header(name);
    if (value === undefined) return [];
    return value.includes(",") ? [value, ...value.split(",").map((item) => item.trim())] : [value];
  },
  holds: (facts, name, value) => headerHas(facts.header(name), value),
};

export const headers: ConditionType<NamedValues, NamedValues> = {
  schema: textMap().describe("Request headers that must have these values"),
  cost: 4,
  isClientBound: true,
  vary: "header",
  check: checkHeaderMap,
  normalize: lowerCaseNames,
  compile: (value) => compileNamed(value, FACTS),
  explain: (value, facts) => explainNamed(value, facts, FACTS),
  sample: (value) => ({ headers: value }),
  contains: namedContain,
  // A request has any number of headers, and a header any number of items.
  disjoint: () => false,
  index: { selectivity: 6, create: () => createNamedIndex(FACTS) },
};

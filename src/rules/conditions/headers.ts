/**
 * @module The `headers` condition: each listed request header has the given value. Names are in
 * lower case.
 */
import { checkHeaderMap, lowerCaseNames } from "../request/header_map.ts";
import { textMap } from "../schema_parts.ts";
import { namedCondition } from "./named_values.ts";

/**
 * Returns whether `wanted` equals the whole value, or one item of a list, such as `gzip, br` or the
 * values of several header lines.
 */
function headerHas(value: string | undefined, wanted: string): boolean {
  if (value === undefined || value === wanted) return value === wanted;
  return value.includes(",") && value.split(",").some((item) => item.trim() === wanted);
}

export const headers = namedCondition({
  seen: (facts, name) => [facts.header(name)].filter((value) => value !== undefined),
  candidates(facts, name) {
    const value = facts.header(name);
    if (value === undefined) return [];
    return value.includes(",") ? [value, ...value.split(",").map((item) => item.trim())] : [value];
  },
  holds: (facts, name, value) => headerHas(facts.header(name), value),
}, {
  schema: textMap().describe("Request headers that must have these values"),
  cost: 4,
  isClientBound: true,
  vary: "header",
  check: checkHeaderMap,
  normalize: lowerCaseNames,
  sample: (value) => ({ headers: value }),
  selectivity: 6,
});

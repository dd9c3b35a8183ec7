/** @module The `methods` condition, with its alias `method`; the normal form is their union. */
import { choice, list } from "../schema_parts.ts";
import { type Method, METHODS } from "../vocabulary.ts";
import type { ConditionType } from "./condition_type.ts";
import { createValueIndex, describeList, listContains, listsDisjoint } from "./lists.ts";

type Methods = readonly Method[];

/** Returns the bit for a method, or 0 for a method that no rule can name. */
function methodBit(method: string): number {
  const index = (METHODS as readonly string[]).indexOf(method);
  return index < 0 ? 0 : 1 << index;
}

/** The alternative name for the `methods` field. */
export const METHODS_ALIAS = "method";

/** Schema of a method list, under either name. */
export const methodListSchema = list(choice(METHODS));

export const methods: ConditionType<Methods, Methods> = {
  schema: methodListSchema.describe("One of these methods"),
  neutralItem: "GET",
  cost: 1,
  isClientBound: false,
  normalize: (value) => METHODS.filter((method) => value.includes(method)),
  compile(value) {
    const bits = value.reduce((sum, method) => sum | methodBit(method), 0);
    return ({ method }) => (bits & methodBit(method)) !== 0;
  },
  explain: (value, { method }) => ({ wanted: describeList(value), seen: method }),
  sample(value) {
    const [first] = value;
    return { method: first === undefined || value.includes("GET") ? "GET" : first };
  },
  contains: listContains,
  disjoint: listsDisjoint,
  index: {
    selectivity: 1,
    create: () =>
      createValueIndex((value: Methods): readonly string[] => value, ({ method }) => method),
  },
};

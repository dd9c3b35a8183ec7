/** @module The `asn` condition: the client's autonomous system is one of those listed. */
import { integer, list } from "../schema_parts.ts";
import type { ConditionType } from "./condition_type.ts";
import {
  createValueIndex,
  describeFact,
  describeList,
  listContains,
  listsDisjoint,
  unique,
} from "./lists.ts";

type Numbers = readonly number[];

export const asn: ConditionType<Numbers, Numbers> = {
  schema: list(integer(1, 4_294_967_295)).describe("One of these autonomous systems"),
  neutralItem: 1,
  cost: 9,
  isClientBound: true,
  vary: "asn",
  normalize: unique,
  compile(value) {
    const numbers = new Set(value);
    return (facts) => numbers.has(facts.asn() ?? 0);
  },
  explain: (value, facts) => ({ wanted: describeList(value), seen: describeFact(facts.asn()) }),
  sample: ([number]) => number === undefined ? {} : { asn: number },
  contains: listContains,
  disjoint: listsDisjoint,
  index: {
    selectivity: 5,
    create: () => createValueIndex((value: Numbers) => value, (facts) => facts.asn()),
  },
};

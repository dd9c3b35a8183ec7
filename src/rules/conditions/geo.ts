/** @module The `geo` condition: the client's country is one of those listed, in upper case. */
import * as z from "zod";
import { list } from "../schema_parts.ts";
import type { ConditionType } from "./condition_type.ts";
import {
  createValueIndex,
  describeFact,
  describeList,
  listContains,
  listsDisjoint,
  unique,
} from "./lists.ts";

type Countries = readonly string[];

/** Converts to upper case without changing the length of the text, unlike Unicode's mapping. */
const upperCaseAscii = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

export const geo: ConditionType<Countries, Countries> = {
  schema: list(z.string("Use a string").length(2, "Use a country code of exactly 2 characters"))
    .describe("One of these countries (ISO 3166-1 alpha-2)"),
  neutralItem: "--",
  cost: 8,
  isClientBound: true,
  vary: "geo",
  normalize: (value) => unique(value.map(upperCaseAscii)),
  compile(value) {
    const countries = new Set(value);
    return (facts) => countries.has(facts.country() ?? "");
  },
  explain: (value, facts) => ({
    wanted: describeList(value),
    seen: describeFact(facts.country()),
  }),
  sample: ([country]) => country === undefined ? {} : { country },
  contains: listContains,
  disjoint: listsDisjoint,
  index: {
    selectivity: 3,
    create: () => createValueIndex((value: Countries) => value, (facts) => facts.country()),
  },
};

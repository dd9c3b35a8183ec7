/** @module The condition `cookies`: cookies with these values. */
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

const FACTS: NamedFacts = {
  seen: (facts, name) => facts.cookie(name),
  candidates: (facts, name) => facts.cookie(name),
  holds: (facts, name, value) => facts.cookie(name).includes(value),
};

export const cookies: ConditionType<NamedValues, NamedValues> = {
  schema: textMap().describe("Cookies that must have these values"),
  cost: 6,
  isClientBound: true,
  vary: "cookie",
  normalize: (value) => ({ ...value }),
  compile: (value) => compileNamed(value, FACTS),
  explain: (value, facts) => explainNamed(value, facts, FACTS),
  sample: (value) => ({ cookies: value }),
  contains: namedContain,
  // A cookie may come several times, with different paths.
  disjoint: () => false,
  index: { selectivity: 8, create: () => createNamedIndex(FACTS) },
};

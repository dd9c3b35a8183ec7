/** @module The condition `query`: query parameters with these values. */
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
  seen: (facts, name) => facts.query(name),
  candidates: (facts, name) => facts.query(name),
  holds: (facts, name, value) => facts.query(name).includes(value),
};

export const query: ConditionType<NamedValues, NamedValues> = {
  schema: textMap().describe("Query parameters that must have these values"),
  cost: 5,
  isClientBound: false,
  vary: "query",
  normalize: (value) => ({ ...value }),
  compile: (value) => compileNamed(value, FACTS),
  explain: (value, facts) => explainNamed(value, facts, FACTS),
  sample: (value) => ({ query: value }),
  contains: namedContain,
  // A parameter may come several times.
  disjoint: () => false,
  index: { selectivity: 7, create: () => createNamedIndex(FACTS) },
};

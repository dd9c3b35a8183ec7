/** @module The `query` condition: each listed query parameter has the given value. */
import { textMap } from "../schema_parts.ts";
import { namedCondition } from "./named_values.ts";

export const query = namedCondition({
  seen: (facts, name) => facts.query(name),
  candidates: (facts, name) => facts.query(name),
  holds: (facts, name, value) => facts.query(name).includes(value),
}, {
  schema: textMap().describe("Query parameters that must have these values"),
  cost: 5,
  isClientBound: false,
  vary: "query",
  sample: (value) => ({ query: value }),
  selectivity: 7,
});

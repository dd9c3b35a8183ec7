/** @module The `cookies` condition: each listed cookie has the given value. */
import { textMap } from "../schema_parts.ts";
import { namedCondition } from "./named_values.ts";

export const cookies = namedCondition({
  seen: (facts, name) => facts.cookie(name),
  candidates: (facts, name) => facts.cookie(name),
  holds: (facts, name, value) => facts.cookie(name).includes(value),
}, {
  schema: textMap().describe("Cookies that must have these values"),
  cost: 6,
  isClientBound: true,
  vary: "cookie",
  sample: (value) => ({ cookies: value }),
  selectivity: 8,
});

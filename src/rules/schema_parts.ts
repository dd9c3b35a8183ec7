/**
 * @module The kinds of values in a rule set, as schemas whose messages state the expected value.
 */
import * as z from "zod";

/** Maximum of integer fields that set no other maximum. */
export const MAX_SAFE = Number.MAX_SAFE_INTEGER;

export const integer = (min: number, max: number) => {
  const wanted = min === -MAX_SAFE ? "Use an integer" : `Use an integer from ${min} to ${max}`;
  return z.int(wanted).min(min, wanted).max(max, wanted);
};

export const text = () => z.string("Use a string").min(1, "Use a string that is not empty");

export const flag = () => z.boolean("Use true or false");

export const choice = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `Use one of ${values.join(", ")}`);

export const list = <T extends z.ZodType>(item: T) => z.array(item, "Use a list");

export const textMap = () =>
  z.record(
    z.string().min(1, "Use a name that is not empty"),
    z.string("Use a string"),
    "Use a table of strings",
  );

export const enforceMode = () => choice(["shadow", "enforce"]);

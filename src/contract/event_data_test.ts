import assert from "node:assert/strict";
import { endpoints } from "./endpoints.ts";

const wrong = [
  ["a number instead of a string", { currency: 3 }, "data.currency", /^Must be a currency code/],
  ["an unknown currency", { currency: "euro" }, "data.currency", /ISO 4217/],
  ["a string instead of a number", { amount: "many" }, "data.amount", /^Must be a number$/],
  [
    "digits without quotes",
    { cardLast4: 4242 },
    "data.cardLast4",
    /^Must be the last 4 digits .* as a string: "4242"$/,
  ],
  ["a nested field", { extra: { a: 1 } }, "data.extra", /^Must be a string, a number/],
] as const;

for (const [name, data, path, message] of wrong) {
  Deno.test(`triggerEvent refuses ${name}, and reports the field and the expected value`, () => {
    const given = { event: "billing.payment_failed", data };
    const { error } = endpoints.triggerEvent.body.safeParse(given);
    assert.equal(error?.issues.length, 1);
    assert.equal(error.issues[0]!.path.join("."), path);
    assert.match(error.issues[0]!.message, message);
  });
}

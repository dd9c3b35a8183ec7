import assert from "node:assert/strict";
import { UnavailableError } from "../../lib/unavailable_error.ts";
import { LastAnswers } from "./last_answers.ts";

const down = () => Promise.reject(new UnavailableError("The store is down", { retryAfter: 5 }));
const says = (answer: string) => () => Promise.resolve(answer);

Deno.test("LastAnswers answers for a store that is down, and for no other fault", async () => {
  const answers = new LastAnswers<string>(10);
  await assert.rejects(answers.read("shop", down), UnavailableError);
  assert.equal(await answers.read("shop", says("one")), "one");
  assert.equal(await answers.read("shop", down), "one");
  assert.equal(await answers.read("shop", says("two")), "two");
  assert.equal(await answers.read("shop", down), "two");
  await assert.rejects(answers.read("shop", () => Promise.reject(new TypeError("x"))), TypeError);
  await assert.rejects(answers.read("blog", down), UnavailableError);
});

Deno.test("LastAnswers forgets what it is told, and the oldest where there are too many", async () => {
  const answers = new LastAnswers<string>(2);
  for (const key of ["a", "b", "a", "c"]) await answers.read(key, says(key));
  await assert.rejects(answers.read("b", down), UnavailableError);
  assert.equal(await answers.read("a", down), "a");
  answers.forget("a");
  await assert.rejects(answers.read("a", down), UnavailableError);
});

import assert from "node:assert/strict";
import { PendingChallenges } from "./challenges.ts";

Deno.test("PendingChallenges.answer() accepts only pending tokens, at their exact path", async () => {
  const challenges = new PendingChallenges();
  const url = "http://shop.example/.well-known/acme-challenge/token-1";
  assert.equal(challenges.answer(url), undefined);
  challenges.add("token-1", "token-1.thumbprint");
  assert.equal(await challenges.answer(url)?.text(), "token-1.thumbprint");
  for (const other of [`${url}2`, `${url}/`, `${url}?x`, url.replace("acme", "x"), "http://a"]) {
    assert.equal(challenges.answer(other), undefined, other);
  }
  challenges.remove("token-1");
  assert.equal(challenges.answer(url), undefined);
});

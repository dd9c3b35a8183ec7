import assert from "node:assert/strict";
import { systemRandom } from "../../../../lib/clock.ts";
import type { Client } from "../../../core/http/client.ts";
import type { Chat } from "./bot_updates.ts";
import { ATTEMPT_MS, SignInAttempts } from "./sign_in_attempts.ts";

const START = Date.UTC(2026, 0, 1);
const client: Client = { address: "192.0.2.1", userAgent: null, cookie: null, country: () => null };
const ada: Chat = { id: 7, name: "Ada", username: null };
const eve: Chat = { id: 8, name: "Eve", username: null };

function setUp() {
  const clock = { at: START };
  const attempts = new SignInAttempts({ now: () => clock.at, random: systemRandom });
  return { clock, attempts, ...attempts.begin(client) };
}

Deno.test("SignInAttempts approves the number that the page shows, tapped in the chat that asked", () => {
  const { attempts, cookie, attempt } = setUp();
  const asked = attempts.ask(attempt.code, ada);
  assert.ok(asked !== undefined && asked !== "used");
  assert.equal(asked.choices.length, 3);
  assert.ok(asked.choices.includes(attempt.number));
  assert.equal(attempts.answer(attempt.id, eve.id, attempt.number).verdict, "unknown");
  assert.equal(attempts.answer(attempt.id, ada.id, attempt.number).verdict, "approved");
  assert.deepEqual(attempts.find(cookie)?.state, { type: "approved", chat: ada });
  assert.equal(attempts.answer(attempt.id, ada.id, null).verdict, "unknown", "it is decided");
  attempts.end(cookie);
  assert.equal(attempts.find(cookie), undefined);
});

for (const [name, number] of [["a wrong number", 9], ["a denial", null]] as const) {
  Deno.test(`SignInAttempts ends an attempt after ${name}`, () => {
    const { attempts, cookie, attempt } = setUp();
    attempts.ask(attempt.code, ada);
    attempts.answer(attempt.id, ada.id, number);
    assert.equal(attempts.answer(attempt.id, ada.id, attempt.number).verdict, "unknown");
    assert.deepEqual(attempts.find(cookie)?.state, { type: "denied" });
  });
}

Deno.test("SignInAttempts gives a link to the first chat that opens it", () => {
  const { attempts, attempt } = setUp();
  attempts.ask(attempt.code, ada);
  assert.equal(attempts.ask(attempt.code, eve), "used");
  assert.equal(attempts.ask("another", eve), undefined);
});

Deno.test("SignInAttempts forgets after ten minutes", () => {
  const { attempts, clock, cookie, attempt } = setUp();
  clock.at = START + ATTEMPT_MS - 1;
  assert.notEqual(attempts.find(cookie), undefined);
  clock.at = START + ATTEMPT_MS;
  assert.equal(attempts.find(cookie), undefined);
  assert.equal(attempts.ask(attempt.code, ada), undefined);
});

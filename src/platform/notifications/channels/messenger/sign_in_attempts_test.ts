import assert from "node:assert/strict";
import { systemRandom } from "../../../../lib/clock.ts";
import type { Client } from "../../../core/http/client.ts";
import type { Chat } from "./bot_updates.ts";
import { type Attempt, ATTEMPT_MS, SignInAttempts, signInCode } from "./sign_in_attempts.ts";
import { DenoStore, type RecordStore } from "../../../../store/mod.ts";

const START = Date.UTC(2026, 0, 1);
const client: Client = { address: "192.0.2.1", userAgent: null, cookie: null, country: () => null };
const ada: Chat = { id: 7, name: "Ada", username: null };
const eve: Chat = { id: 8, name: "Eve", username: null };

/**
 * Runs a test with the node that the browser uses, the node that receives the chat's messages, and
 * an attempt.
 */
async function withNodes(
  run: (parts: {
    readonly clock: { at: number };
    readonly browser: SignInAttempts;
    readonly bot: SignInAttempts;
    readonly cookie: string;
    readonly attempt: Attempt;
    /** The code in the link to the bot. */
    readonly code: string;
    readonly kv: RecordStore;
  }) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const clock = { at: START };
  const node = () => new SignInAttempts(kv, { now: () => clock.at, random: systemRandom });
  const [browser, bot] = [node(), node()];
  try {
    const begun = await browser.begin(client);
    await run({ clock, browser, bot, kv, ...begun, code: signInCode(begun.cookie) });
  } finally {
    kv.close();
  }
}

Deno.test("SignInAttempts approves the number that the page shows if it is tapped in the chat that opened the link", () =>
  withNodes(async ({ browser, bot, cookie, attempt, code }) => {
    const asked = await bot.ask(code, ada);
    assert.ok(asked !== undefined && asked !== "used");
    assert.equal(asked.choices.length, 3);
    assert.ok(asked.choices.includes(attempt.number));
    const answer = async (chat: Chat, number: number | null) =>
      (await bot.answer(attempt.id, chat.id, number)).verdict;
    assert.equal(await answer(eve, attempt.number), "unknown");
    assert.equal(await answer(ada, attempt.number), "approved");
    assert.deepEqual((await browser.find(cookie))?.state, { type: "approved", chat: ada });
    assert.equal(await answer(ada, null), "unknown", "the attempt is already decided");
    await browser.end(cookie);
    assert.equal(await browser.find(cookie), undefined);
    assert.equal(await answer(ada, attempt.number), "unknown");
  }));

for (const [name, number] of [["a wrong number", 9], ["a denial", null]] as const) {
  Deno.test(`SignInAttempts rejects an attempt after ${name}`, () =>
    withNodes(async ({ browser, bot, cookie, attempt, code }) => {
      await bot.ask(code, ada);
      await bot.answer(attempt.id, ada.id, number);
      const { verdict } = await bot.answer(attempt.id, ada.id, attempt.number);
      assert.equal(verdict, "unknown");
      assert.deepEqual((await browser.find(cookie))?.state, { type: "denied" });
    }));
}

Deno.test("SignInAttempts assigns a link to the first chat that opens it", () =>
  withNodes(async ({ browser, bot, code }) => {
    const asked = await Promise.all([bot.ask(code, ada), browser.ask(code, eve)]);
    assert.equal(asked.filter((each) => each === "used").length, 1);
    assert.equal(await bot.ask("another", eve), undefined);
  }));

Deno.test("SignInAttempts ends attempts after ten minutes", () =>
  withNodes(async ({ browser, bot, clock, cookie, code }) => {
    clock.at = START + ATTEMPT_MS - 1;
    assert.notEqual(await browser.find(cookie), undefined);
    clock.at = START + ATTEMPT_MS;
    assert.equal(await browser.find(cookie), undefined);
    assert.equal(await bot.ask(code, ada), undefined);
  }));

Deno.test("SignInAttempts stores neither the cookie nor the code in the link", () =>
  withNodes(async ({ kv, cookie, code }) => {
    const stored = JSON.stringify(await Array.fromAsync(kv.list({ prefix: [] })));
    assert.match(stored, /"waiting"/);
    for (const secret of [cookie, code]) assert.ok(!stored.includes(secret));
    assert.match(code, /^[\w-]{32}$/, "as long as a code that links a chat");
  }));

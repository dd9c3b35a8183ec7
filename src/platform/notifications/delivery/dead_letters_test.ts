import assert from "node:assert/strict";
import { DeadLetters } from "./dead_letters.ts";
import {
  countOf,
  request,
  SENT,
  testChannel,
  USER,
  withQueue,
  WORKSPACE,
} from "./_test_delivery.ts";

const MINE = { type: "user", id: USER, workspaceId: null } as const;
const ALL = { limit: 100 } as const;

Deno.test("DeadLetters stores a complete digest, and sends it again", () => {
  let isFull = true;
  const channel = testChannel(
    () => isFull ? { type: "failed", reason: "Mailbox full" } : SENT,
    { digests: true },
  );
  return withQueue([channel], async ({ queue, clock, kv }) => {
    const letters = new DeadLetters(kv, queue, () => clock.at);
    await queue.accept(["a", "b", "c"].map((key) => request(key, { priority: "LOW" })));
    clock.at += 60_000;
    await queue.drain();
    const { items: [letter] } = await letters.list(MINE, ALL);
    assert.equal(letter?.notifications, 3);
    assert.equal(letter?.reason, "Mailbox full");
    assert.deepEqual(
      (await letters.list({ ...MINE, type: "workspace", id: WORKSPACE }, ALL)).items,
      [
        letter,
      ],
    );
    isFull = false;
    assert.deepEqual(await letters.resendAll(MINE), { resent: 1, hasMore: false });
    assert.deepEqual(await letters.resendAll(MINE), { resent: 0, hasMore: false });
    await queue.drain();
    assert.equal(channel.sent.at(-1)?.total, 3);
    assert.equal(channel.sent.at(-1)?.attempt, 1);
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0);
    assert.equal(await countOf(kv, ["delivery", "parts"]), 0);
  });
});

Deno.test("DeadLetters deletes a letter only once, and only for its owner", () => {
  const channel = testChannel(() => ({ type: "failed", reason: "No" }));
  return withQueue([channel], async ({ queue, clock, kv }) => {
    const letters = new DeadLetters(kv, queue, () => clock.at);
    await queue.accept([request("a")]);
    await queue.drain();
    const { id } = (await letters.list(MINE, ALL)).items[0]!;
    await assert.rejects(
      letters.discard({ ...MINE, id: WORKSPACE }, id),
      /Dead letter .+ does not exist/,
    );
    await letters.discard(MINE, id);
    await assert.rejects(letters.discard(MINE, id), /Dead letter .+ does not exist/);
    await assert.rejects(letters.resend(MINE, id), /Dead letter .+ does not exist/);
    assert.equal(await countOf(kv, ["delivery", "letters"]), 0);
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0);
  });
});

Deno.test("DeadLetters keeps a resent letter if its receiver does not want it at the moment", () => {
  let isFull = true;
  const channel = testChannel(() => isFull ? { type: "failed", reason: "Mailbox full" } : SENT);
  return withQueue([channel], async ({ queue, clock, kv, wants }) => {
    const letters = new DeadLetters(kv, queue, () => clock.at);
    await queue.accept([request("a")]);
    await queue.drain();
    isFull = false;
    wants.is = () => false;
    assert.deepEqual(await letters.resendAll(MINE), { resent: 1, hasMore: false });
    await queue.drain();
    assert.equal(channel.sent.length, 1);
    const { items: [letter] } = await letters.list(MINE, ALL);
    assert.match(letter!.reason, /^Not sent: .*quiet hours/);
    wants.is = () => true;
    await letters.resend(MINE, letter!.id);
    await queue.drain();
    assert.equal(channel.sent.length, 2);
    assert.deepEqual((await letters.list(MINE, ALL)).items, []);
  });
});

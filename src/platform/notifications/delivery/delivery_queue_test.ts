import assert from "node:assert/strict";
import { DamagedRecordError } from "../../core/store/mod.ts";
import type { SendOutcome } from "./channel.ts";
import { DIGEST_WINDOW_MS } from "./delivery_queue.ts";
import { countOf, request, SENT, testChannel, USER, withQueue } from "./_test_delivery.ts";
import { until } from "../../../lib/_test_until.ts";

const DOWN: SendOutcome = { type: "retry", reason: "No connection", hostTrouble: true };
const BUSY: SendOutcome = { type: "retry", reason: "Mailbox busy", hostTrouble: false };

Deno.test("DeliveryQueue sends each key only once, regardless of how often it is accepted", () => {
  const channel = testChannel(() => SENT);
  return withQueue([channel], async ({ queue, kv, restart }) => {
    await queue.accept([request("a"), request("b"), request("a")]);
    await queue.accept([request("a")]);
    await queue.drain();
    await queue.accept([request("b"), request("c")]);
    await queue.drain();
    const next = restart();
    await next.accept([request("a"), request("c")]);
    await next.drain();
    assert.equal(channel.sent.length, 3);
    assert.equal(new Set(channel.sent.map(({ id }) => id)).size, 3);
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0);
    assert.equal(await countOf(kv, ["delivery", "due"]), 0);
  });
});

Deno.test("DeliveryQueue accepts all other messages if a receiver's record is damaged", () => {
  const channel = testChannel(() => SENT, {
    receivers: ({ key }) =>
      key === "bad"
        ? Promise.reject(new DamagedRecordError(["webhooks", "w1"], undefined))
        : Promise.resolve([{ id: USER, host: "mail" }]),
  });
  return withQueue([channel], async ({ queue, troubles }) => {
    await queue.accept([request("bad"), request("good")]);
    await queue.drain();
    assert.equal(channel.sent.length, 1);
    assert.match(troubles.splice(0).join(), /Cannot send bad by email: .*webhooks/);
  });
});

Deno.test("DeliveryQueue continues after a restart where the last process stopped", () => {
  const channel = testChannel(() => SENT);
  return withQueue([channel], async ({ queue, restart }) => {
    await queue.accept(Array.from({ length: 100 }, (_, index) => request(`key ${index}`)));
    await restart().drain();
    assert.equal(channel.sent.length, 100);
  });
});

Deno.test("DeliveryQueue tries again after each pause, with the same ID", () => {
  const outcomes = [BUSY, BUSY, SENT];
  const channel = testChannel(({ attempt }) => outcomes[attempt - 1]!);
  return withQueue([channel], async ({ queue, clock }) => {
    await queue.accept([request("a")]);
    await queue.drain();
    await queue.drain();
    assert.equal(channel.sent.length, 1, "the second attempt is not due yet");
    clock.at += 1000;
    await queue.drain();
    assert.equal(channel.sent.length, 2);
    clock.at += 1999;
    await queue.drain();
    assert.equal(channel.sent.length, 2);
    clock.at += 1;
    await queue.drain();
    assert.deepEqual(channel.sent.map(({ attempt }) => attempt), [1, 2, 3]);
    assert.equal(new Set(channel.sent.map(({ id }) => id)).size, 1);
  });
});

Deno.test("DeliveryQueue stores failed messages with the reason, and reports them to the channel", () => {
  const channel = testChannel(() => BUSY);
  return withQueue([channel], async ({ queue, clock, kv }) => {
    await queue.accept([request("a")]);
    for (let count = 0; count < 10; count++) {
      await queue.drain();
      clock.at += 60_000;
    }
    assert.equal(channel.sent.length, 4);
    assert.deepEqual(channel.givenUp, ["Mailbox busy (gave up after 4 attempts)"]);
    assert.equal(await countOf(kv, ["delivery", "due"]), 0);
    assert.equal(await countOf(kv, ["delivery", "letters", "user", USER]), 1);
  });
});

Deno.test("DeliveryQueue drops messages without a receiver", () => {
  const channel = testChannel(() => ({ type: "gone", reason: "The browser is gone" }));
  return withQueue([channel], async ({ queue, kv }) => {
    await queue.accept([request("a")]);
    await queue.drain();
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0);
    assert.equal(await countOf(kv, ["delivery", "letters"]), 0);
  });
});

Deno.test("DeliveryQueue pauses deliveries to a host that is down, and then delivers everything exactly once", () => {
  let isDown = true;
  const channel = testChannel(() => isDown ? DOWN : SENT);
  return withQueue([channel], async ({ queue, clock }) => {
    await queue.accept(Array.from({ length: 200 }, (_, index) => request(`key ${index}`)));
    for (let minute = 0; minute < 30; minute++) {
      await queue.drain();
      clock.at += 60_000;
    }
    const inVain = channel.sent.length;
    assert.ok(inVain < 40, `${inVain} attempts at a host that is down`);
    assert.deepEqual(channel.givenUp, []);
    isDown = false;
    for (let second = 0; second < 400; second++) {
      clock.at += 1000;
      await queue.drain();
    }
    const delivered = channel.sent.slice(inVain).map(({ id }) => id);
    assert.equal(delivered.length, 200);
    assert.equal(new Set(delivered).size, 200);
  });
});

Deno.test("DeliveryQueue never makes one channel or host wait for another", () => {
  let release = (_: SendOutcome) => {};
  const stuck = new Promise<SendOutcome>((resolve) => release = resolve);
  const mail = testChannel(() => stuck);
  const hooks = testChannel(({ receiverId }) => receiverId === "slow" ? stuck : SENT, {
    name: "webhook",
    receivers: () => Promise.resolve([{ id: "slow", host: "slow" }, { id: "fast", host: "fast" }]),
  });
  return withQueue([mail, hooks], async ({ queue }) => {
    await queue.accept(Array.from({ length: 50 }, (_, index) => request(`mail ${index}`)));
    await queue.accept(
      Array.from({ length: 50 }, (_, index) => request(`hook ${index}`, {}, "webhook")),
    );
    const draining = queue.drain();
    const fast = () => hooks.sent.filter(({ receiverId }) => receiverId === "fast").length;
    await until(() => fast() === 50);
    assert.equal(hooks.sent.length - fast(), 2, "no more than two to one host");
    release(SENT);
    await draining;
    assert.equal(mail.sent.length + hooks.sent.length, 150);
  });
});

Deno.test("DeliveryQueue delays all messages to a receiver for as long as the receiver asks", () => {
  let first = true;
  const channel = testChannel(() => {
    if (!first) return SENT;
    first = false;
    return { type: "retry", reason: "Too many", retryAfterMs: 30_000, hostTrouble: false };
  }, { limits: { ...testChannel(() => SENT).limits, concurrency: 1 } });
  return withQueue([channel], async ({ queue, clock }) => {
    await queue.accept([request("a"), request("b")]);
    await queue.drain();
    clock.at += 29_000;
    await queue.drain();
    assert.equal(channel.sent.length, 1);
    clock.at += 3000;
    await queue.drain();
    assert.equal(channel.sent.length, 3);
  });
});

Deno.test("DeliveryQueue combines less urgent messages into a digest", () => {
  const channel = testChannel(() => SENT, { digests: true });
  return withQueue([channel], async ({ queue, clock, kv }) => {
    await queue.accept([request("urgent", { priority: "CRITICAL" })]);
    for (let count = 0; count < 5; count++) {
      await queue.accept([request(`live ${count}`, { priority: "NORMAL", createdAt: count })]);
      clock.at += 10_000;
    }
    await queue.accept([request("bill", { priority: "LOW", category: "Billing" })]);
    await queue.drain();
    assert.equal(channel.sent.length, 1, "only the urgent one is sent immediately");
    clock.at += 10_000;
    await queue.drain();
    assert.equal(channel.sent.length, 2);
    const { contents, total } = channel.sent[1]!;
    assert.equal(total, 5);
    assert.deepEqual(contents.map(({ createdAt }) => createdAt), [0, 1, 2, 3, 4]);
    await queue.accept([request("late", { priority: "NORMAL" })]);
    clock.at += DIGEST_WINDOW_MS;
    await queue.drain();
    assert.deepEqual(channel.sent.slice(2).map((delivery) => delivery.total).sort(), [1, 1]);
    assert.equal(await countOf(kv, ["delivery", "parts"]), 0);
    assert.equal(await countOf(kv, ["delivery", "open_digest"]), 0);
    assert.equal(await countOf(kv, ["delivery", "leftovers"]), 0);
  });
});

Deno.test("DeliveryQueue loses and duplicates nothing if digests close while others arrive", () => {
  const channel = testChannel(() => SENT, { digests: true });
  return withQueue([channel], async ({ queue, clock }) => {
    for (let round = 0; round < 20; round++) {
      const accepting = Promise.all(
        Array.from(
          { length: 10 },
          (_, index) => queue.accept([request(`${round} ${index}`, { priority: "LOW" })]),
        ),
      );
      clock.at += DIGEST_WINDOW_MS;
      await Promise.all([accepting, queue.drain()]);
    }
    clock.at += DIGEST_WINDOW_MS;
    await queue.drain();
    const ids = channel.sent.flatMap(({ contents }) => contents.map(({ id }) => id));
    assert.equal(ids.length, 200);
    assert.equal(new Set(ids).size, 200);
  });
});

Deno.test("DeliveryQueue resends a digest unchanged, and shows only as much as fits", () => {
  const outcomes = [BUSY, SENT];
  const channel = testChannel(({ attempt }) => outcomes[attempt - 1] ?? SENT, { digests: true });
  return withQueue([channel], async ({ queue, clock }) => {
    const many = Array.from(
      { length: 130 },
      (_, index) => request(`key ${index}`, { priority: "LOW" }),
    );
    await queue.accept(many);
    clock.at += DIGEST_WINDOW_MS;
    await queue.drain();
    await queue.accept([request("later", { priority: "LOW" })]);
    clock.at += 1000;
    await queue.drain();
    const [first, second] = channel.sent;
    assert.equal(first?.total, 130);
    assert.equal(first?.contents.length, 50);
    assert.deepEqual({ ...second, attempt: 1 }, first);
  });
});

Deno.test("DeliveryQueue retries after a channel fails", () => {
  const channel = testChannel(({ attempt }) => {
    if (attempt === 1) throw new Error("broken");
    return SENT;
  });
  return withQueue([channel], async ({ queue, clock, troubles }) => {
    await queue.accept([request("a")]);
    await queue.drain();
    clock.at += 1000;
    await queue.drain();
    assert.equal(channel.sent.length, 2);
    assert.deepEqual(troubles, ["The channel email failed: Error: broken"]);
  });
});

Deno.test("DeliveryQueue finds other messages behind thousands that are waiting for a host", () => {
  const channel = testChannel(({ receiverId }) => receiverId === "down" ? DOWN : SENT, {
    receivers: ({ key }) => {
      const name = key.startsWith("up") ? "up" : "down";
      return Promise.resolve([{ id: name, host: name }]);
    },
  });
  return withQueue([channel], async ({ queue, clock, kv }) => {
    await queue.accept(Array.from({ length: 2500 }, (_, index) => request(`down ${index}`)));
    clock.at += 1;
    await queue.accept([request("up")]);
    await queue.drain();
    assert.equal(channel.sent.filter(({ receiverId }) => receiverId === "up").length, 1);
    assert.ok(channel.sent.length < 10, `${channel.sent.length} attempts`);
    assert.equal(await countOf(kv, ["delivery", "due"]), 2500);
  });
});

Deno.test("DeliveryQueue finds other messages behind thousands of messages for a slow host", () => {
  const gate = Promise.withResolvers<void>();
  const channel = testChannel(async ({ receiverId }) => {
    if (receiverId === "slow") await gate.promise;
    return SENT;
  }, {
    receivers: ({ key }) => {
      const name = key.startsWith("quick") ? "quick" : "slow";
      return Promise.resolve([{ id: name, host: name }]);
    },
  });
  return withQueue([channel], async ({ queue, clock, kv }) => {
    await queue.accept(Array.from({ length: 2500 }, (_, index) => request(`slow ${index}`)));
    clock.at += 1;
    await queue.accept([request("quick")]);
    const drained = queue.drain();
    await until(() => countOf(kv, ["delivery", "due"]), (count) => count <= 2500);
    const sent = channel.sent.map(({ receiverId }) => receiverId).sort();
    assert.deepEqual(sent, ["quick", "slow", "slow"], "no more at once than a host accepts");
    gate.resolve();
    await drained;
    assert.equal(channel.sent.length, 2501, "each once");
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0);
  });
});

Deno.test("DeliveryQueue skips unreadable entries, and sends the others", () => {
  const channel = testChannel(() => SENT);
  return withQueue([channel], async ({ queue, clock, kv, troubles }) => {
    await queue.accept([request("broken"), request("whole")]);
    const [broken] = await Array.fromAsync(kv.list({ prefix: ["delivery", "jobs"] }));
    await kv.set(broken!.key, { shape: "of another time" });
    await queue.drain();
    assert.equal(channel.sent.length, 1);
    assert.equal(troubles.length, 1);
    clock.at += 60_000;
    await queue.drain();
    assert.equal(troubles.length, 2, "once a minute");
    assert.equal(await countOf(kv, ["delivery", "due"]), 1, "the unreadable entry is kept");
  });
});

import assert from "node:assert/strict";
import { until } from "../../../lib/_test_until.ts";
import { Leases } from "../../core/nodes/leases.ts";
import { keys } from "../../core/store/keys.ts";
import type { Channel } from "./channel.ts";
import { createDeliveryQueue } from "./delivery_queue.ts";
import { countOf, request, SENT, START, testChannel } from "./_test_delivery.ts";
import { DenoStore, type RecordStore } from "../../../store/mod.ts";

/** Creates the queues of several nodes that share a store. */
async function withNodes(
  run: (parts: {
    readonly kv: RecordStore;
    readonly alive: Set<string>;
    node(instance: string, channel: Channel): ReturnType<typeof createDeliveryQueue>;
  }) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const alive = new Set<string>();
  try {
    await run({
      kv,
      alive,
      node(instance, channel) {
        alive.add(instance);
        const isAlive = (other: string) => Promise.resolve(alive.has(other));
        return createDeliveryQueue({
          kv,
          channels: [channel],
          nodes: { instance, isAlive, onDeath: () => {} },
          review: () => Promise.resolve(() => true),
          now: () => START,
          random: (count) => new Uint8Array(count).fill(255),
          onTrouble: assert.fail,
        });
      },
    });
  } finally {
    kv.close();
  }
}

Deno.test("nodes that send at the same time share the messages, without duplicates", () => {
  const channels = [testChannel(() => SENT), testChannel(() => SENT)] as const;
  return withNodes(async ({ kv, node }) => {
    const [a, b] = [node("a", channels[0]), node("b", channels[1])];
    await a.accept(Array.from({ length: 60 }, (_, index) => request(`key ${index}`)));
    await Promise.all([a.drain(), b.drain()]);
    await a.drain();
    const ids = channels.flatMap(({ sent }) => sent.map(({ id }) => id));
    assert.equal(ids.length, 60);
    assert.equal(new Set(ids).size, 60);
    assert.equal(await countOf(kv, ["delivery", "due"]), 0);
    assert.equal(await countOf(kv, ["delivery", "claims"]), 0);
  });
});

Deno.test("another node sends the messages that a dead node had claimed, with the same ID", () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow = testChannel(async () => {
    begun.resolve();
    await gate.promise;
    return { type: "retry", reason: "Late", hostTrouble: false };
  });
  const quick = testChannel(() => SENT);
  return withNodes(async ({ kv, alive, node }) => {
    const [a, b] = [node("a", slow), node("b", quick)];
    await a.accept([request("key")]);
    const sending = a.drain();
    await begun.promise;
    await b.drain();
    assert.equal(quick.sent.length, 0, "the other node is alive and has the message");
    alive.delete("a");
    await b.drain();
    assert.deepEqual(quick.sent.map(({ id }) => id), slow.sent.map(({ id }) => id));
    gate.resolve();
    await sending;
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0, "its late result changes nothing");
    assert.equal(await countOf(kv, ["delivery", "due"]), 0);
    assert.equal(await countOf(kv, ["delivery", "claims"]), 0);
  });
});

Deno.test("messages queued by a leader are sent even if it loses the lease", async () => {
  const kv = await DenoStore.open(":memory:");
  const leasesOf = (id: string) => new Leases({ kv, id, instance: id, monotonic: () => 0 });
  const [leader, next] = [leasesOf("a"), leasesOf("b")];
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const channel = testChannel(async () => {
    begun.resolve();
    await gate.promise;
    return SENT;
  });
  const queue = createDeliveryQueue({
    kv,
    channels: [channel],
    now: () => START,
    onTrouble: assert.fail,
    nodes: { instance: "a", isAlive: () => Promise.resolve(true), onDeath: () => {} },
    review: () => Promise.resolve(() => true),
    random: (count) => new Uint8Array(count).fill(255),
  });
  try {
    await leader.round();
    await queue.start();
    await leader.during("events", async (lease) => {
      await queue.accept([request("key")], lease);
      await begun.promise;
      await kv.delete(keys.pulse("a"));
      await next.round();
      gate.resolve();
      await until(async () => await countOf(kv, ["delivery", "claims"]) === 0);
    });
    assert.equal(channel.sent.length, 1);
    assert.equal(await countOf(kv, ["delivery", "jobs"]), 0);
  } finally {
    await queue.close();
    kv.close();
  }
});

import assert from "node:assert/strict";
import { LIMITS, request, SENT, testChannel, withQueue } from "./_test_delivery.ts";

type Queue = Parameters<Parameters<typeof withQueue>[1]>[0]["queue"];

/**
 * Webhooks of workspaces, each with eight hosts. At most eight messages are sent at a time, and
 * each workspace's share is two. A message counts as being sent until the test finishes it.
 */
function openHooks() {
  const waiting = new Map<string, (() => void)[]>();
  const watchers = new Set<() => void>();
  let isOpen = false;
  const channel = testChannel(async ({ contents: [content] }) => {
    const { workspaceId } = content!;
    if (isOpen) return SENT;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(workspaceId!, [...waiting.get(workspaceId!) ?? [], resolve]);
    for (const watch of watchers) watch();
    await promise;
    return SENT;
  }, {
    name: "webhook",
    limits: { ...LIMITS, concurrency: 8, perHost: 2, perOwner: 2 },
    receivers: ({ key, content }) => {
      const host = `${content.workspaceId} ${Number(key.split(" ")[1]) % 8}`;
      return Promise.resolve([{ id: key, host }]);
    },
  });
  const underWay = (workspace: string) => waiting.get(workspace)?.length ?? 0;
  return {
    channel,
    underWay,
    /** Accepts a workspace's messages, and waits until the queue is sending. */
    async put(queue: Queue, workspace: string, count: number): Promise<void> {
      await queue.accept(Array.from({ length: count }, (_, index) => ({
        ...request(`${workspace} ${index}`, { workspaceId: workspace }, "webhook"),
        userId: null,
      })));
    },
    /** Resolves once `count` of a workspace's messages are being sent. */
    async until(workspace: string, count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const watch = () => underWay(workspace) === count && resolve();
      watchers.add(watch);
      watch();
      await promise;
      watchers.delete(watch);
    },
    /** Finishes a workspace's oldest message. */
    letGo: (workspace: string) => waiting.get(workspace)!.shift()!(),
    /** Finishes all messages, including later ones. */
    open() {
      isOpen = true;
      for (const ends of waiting.values()) for (const end of ends.splice(0)) end();
    },
  };
}

Deno.test("DeliveryQueue leaves slots for others if all of a workspace's hosts are slow", () => {
  const hooks = openHooks();
  return withQueue([hooks.channel], async ({ queue, clock }) => {
    await hooks.put(queue, "slow", 40);
    const drains = [queue.drain()];
    await hooks.until("slow", 6);
    clock.at += 1;
    await hooks.put(queue, "quick", 20);
    drains.push(queue.drain());
    for (let sent = 0; sent < 20; sent++) {
      if (hooks.underWay("quick") === 0) await hooks.until("quick", 1);
      assert.ok(hooks.underWay("quick") <= 2);
      hooks.letGo("quick");
    }
    assert.equal(hooks.underWay("slow"), 6, "the last share is for others");
    hooks.open();
    await Promise.all(drains);
    assert.equal(new Set(hooks.channel.sent.map(({ id }) => id)).size, 60);
    assert.equal(hooks.channel.sent.length, 60, "each once");
  });
});

Deno.test("DeliveryQueue gives free slots to workspaces below their share", () => {
  const hooks = openHooks();
  return withQueue([hooks.channel], async ({ queue, clock }) => {
    await hooks.put(queue, "first", 40);
    const drains = [queue.drain()];
    await hooks.until("first", 6);
    for (const [workspace, count] of [["second", 2], ["third", 0]] as const) {
      clock.at += 1;
      await hooks.put(queue, workspace, 40);
      drains.push(queue.drain());
      await hooks.until(workspace, count);
    }
    for (const [first, third] of [[5, 1], [4, 2]] as const) {
      hooks.letGo("first");
      await hooks.until("third", third);
      assert.equal(hooks.underWay("first"), first, "though its messages are older");
    }
    assert.equal(hooks.underWay("second"), 2);
    hooks.open();
    await Promise.all(drains);
    assert.equal(hooks.channel.sent.length, 120, "each once");
  });
});

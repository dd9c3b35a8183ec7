/**
 * Tests that another node takes over the claims of a dead node within 15 seconds. The test sets the
 * clock.
 */
import assert from "node:assert/strict";
import { systemRandom } from "../../../lib/clock.ts";
import { until } from "../../../lib/_test_until.ts";
import type { BuildRecord } from "../../builds/queue/build_record.ts";
import { BuildQueue, BuildStore } from "../../builds/mod.ts";
import type { BuildEnd } from "../../builds/queue/build_worker.ts";
import { EventBus, EventStore, noteEvent } from "../events/mod.ts";
import { Membership, ROLES } from "./mod.ts";
import { PULSE_EVERY_MS } from "./leases.ts";
import { keys } from "../store/mod.ts";
import { request, SENT, testChannel } from "../../notifications/delivery/_test_delivery.ts";
import { createDeliveryQueue } from "../../notifications/delivery/delivery_queue.ts";
import type { Channel } from "../../notifications/delivery/channel.ts";
import { ClockedStore } from "./_test_clocked_store.ts";
import type { RecordStore } from "../../../store/mod.ts";

const TAKEN_UP_MS = 15_000;
const STEP_MS = 500;

interface Nodes {
  readonly kv: RecordStore;
  readonly dying: Membership;
  readonly other: Membership;
  /** Kills the first node after a given time, and advances the clock by 15 seconds. */
  die(afterMs: number): Promise<void>;
}

/** Runs a test on two nodes whose pulses are a given time apart. */
async function withNodes(apartMs: number, run: (nodes: Nodes) => Promise<void>): Promise<void> {
  using clocked = await ClockedStore.open();
  const kv = clocked;
  const join = (id: string) =>
    Membership.join({
      id,
      home: id,
      instance: id,
      kv,
      version: "1.0.0",
      addresses: [],
      url: "http://x",
      now: () => clocked.time,
      monotonic: () => clocked.time,
      lagMs: () => 0,
      onTrouble: assert.fail,
    });
  const [dying, other] = [await join("a"), await join("b")];
  await run({
    kv,
    dying,
    other,
    async die(afterMs) {
      const end = afterMs + TAKEN_UP_MS;
      for (let time = STEP_MS; time <= end; time += STEP_MS) {
        await clocked.advance(STEP_MS);
        if (time <= afterMs && time % PULSE_EVERY_MS === 0) await dying.pulse();
        if (time % PULSE_EVERY_MS === apartMs) await other.pulse();
      }
    },
  });
}

Deno.test("another node takes over all leases of a dead node within 15 seconds", async () => {
  for (let apartMs = 0; apartMs < PULSE_EVERY_MS; apartMs += STEP_MS) {
    for (let afterMs = 0; afterMs <= 2 * PULSE_EVERY_MS; afterMs += STEP_MS) {
      await withNodes(apartMs, async ({ dying, other, die }) => {
        assert.ok(ROLES.every((role) => dying.leads(role)));
        await die(afterMs);
        assert.ok(ROLES.every((role) => other.leads(role)), `after ${afterMs}, ${apartMs} apart`);
        assert.ok(!ROLES.some((role) => dying.leads(role)), "the dying node leads none of them");
      });
    }
  }
});

Deno.test("another node sends the messages that a dead node was sending", () =>
  withNodes(1500, async ({ kv, dying, other, die }) => {
    const gate = Promise.withResolvers<void>();
    const open = (nodes: Membership, channel: Channel) =>
      createDeliveryQueue({
        kv,
        nodes,
        channels: [channel],
        now: () => 0,
        random: systemRandom,
        review: () => Promise.resolve(() => true),
        onTrouble: assert.fail,
      });
    const held = testChannel(async () => {
      await gate.promise;
      return SENT;
    });
    const sending = testChannel(() => SENT);
    const [first, second] = [open(dying, held), open(other, sending)];
    await first.start();
    await first.accept([request("one"), request("two")]);
    await until(() => held.sent.length === 2);
    await second.start();
    await die(PULSE_EVERY_MS);
    await until(() => sending.sent.length === 2);
    const ids = (channel: typeof held) => channel.sent.map(({ id }) => id).sort();
    assert.deepEqual(ids(sending), ids(held));
    gate.resolve();
    await first.close();
    await second.close();
  }));

function build(id: string, place: number): BuildRecord {
  return {
    id,
    projectId: "p1",
    workspaceId: "w1",
    branch: id,
    commitSha: "a".repeat(40),
    environment: "preview",
    state: "QUEUED",
    place,
    attempts: 0,
    error: null,
    queuedAt: 0,
    startedAt: null,
    finishedAt: null,
  };
}

Deno.test("another node runs the builds that a dead node was running", () =>
  withNodes(0, async ({ kv, dying, other, die }) => {
    const ended = Promise.withResolvers<BuildEnd>();
    const begun: string[] = [];
    const open = (nodes: Membership, end: Promise<BuildEnd>) =>
      new BuildQueue({
        nodes,
        builds: new BuildStore(kv),
        concurrency: 2,
        now: () => 0,
        worker: {
          perform({ id }) {
            begun.push(`${nodes.id} ${id}`);
            return end;
          },
          giveUp: (_, error) => Promise.resolve({ state: "FAILED", error }),
        },
        onTrouble: assert.fail,
      });
    for (const each of [build("one", 1), build("two", 2)]) {
      await kv.set(keys.build("p1", each.id), each);
      await kv.set(keys.buildTicket(each.place), { projectId: "p1", id: each.id });
    }
    const first = open(dying, ended.promise);
    await first.start();
    await until(() => begun.length === 2);
    const second = open(other, Promise.resolve({ state: "SUCCEEDED", error: null }));
    await second.start();
    await die(0);
    await until(() => begun.length === 4);
    assert.deepEqual(begun.toSorted(), ["a one", "a two", "b one", "b two"]);
    ended.resolve({ state: "FAILED", error: "late" });
    await first.close();
    await second.close();
    const states = await Promise.all(
      ["one", "two"].map(async (id) => (await new BuildStore(kv).find("p1", id))?.state),
    );
    assert.deepEqual(states, ["SUCCEEDED", "SUCCEEDED"]);
  }));

Deno.test("another node raises an event that a dead node stored", () =>
  withNodes(2500, async ({ kv, other, die }) => {
    const seen: string[] = [];
    const bus = new EventBus({
      store: new EventStore(kv),
      nodes: other,
      now: () => 0,
      random: systemRandom,
      onTrouble: assert.fail,
    });
    bus.start((events) => Promise.resolve(void seen.push(...events.map(({ event }) => event))));
    const operation = kv.atomic();
    noteEvent(operation, {
      event: "deployment.live",
      audience: { type: "workspace", workspaceId: "w1" },
      data: {},
      key: "k",
    });
    await operation.commit();
    await die(PULSE_EVERY_MS);
    await until(() => seen.length > 0);
    await bus.close();
    assert.deepEqual(seen, ["deployment.live"]);
  }));

/** Tests that only one node at a time distributes events and runs the chat bot. */
import { SubscriptionStore } from "../notifications/channels/push/subscription_store.ts";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { systemRandom } from "../../lib/clock.ts";
import type { AccountStore } from "../accounts/mod.ts";
import { EventBus, EventStore } from "../core/events/mod.ts";
import type { BotApi } from "../notifications/channels/messenger/bot_api.ts";
import { BotPoller } from "../notifications/channels/messenger/bot_poller.ts";
import { testChannel } from "../notifications/delivery/_test_delivery.ts";
import { createDeliveryQueue } from "../notifications/delivery/delivery_queue.ts";
import { createFanOut } from "../notifications/fan_out.ts";
import { InboxStore } from "../notifications/inbox/inbox_store.ts";
import { Inboxes } from "../notifications/inbox/inboxes.ts";
import { LiveStreams } from "../notifications/live/live_streams.ts";
import { PreferenceService } from "../notifications/preferences/preference_service.ts";
import { type Holder, type LeaderNode, SKEW_MS } from "./_test_lease_thief.ts";
import type { RecordStore } from "../../store/mod.ts";

const NOW = Date.UTC(2026, 10, 22);
const WORKSPACE = "01890000-0000-7000-8000-0000000000aa";
const PEOPLE = ["ada", "bob", "eve"];

function openBus(kv: RecordStore, nodes?: LeaderNode["nodes"]): EventBus {
  const store = new EventStore(kv);
  const parts = { store, now: () => NOW, random: systemRandom, onTrouble: assert.fail };
  return new EventBus(nodes === undefined ? parts : { ...parts, nodes });
}

function openInboxes(kv: RecordStore): Inboxes {
  return new Inboxes({ store: new InboxStore(kv), now: () => NOW, onTrouble: assert.fail });
}

function openFanOut({ kv, nodes }: LeaderNode) {
  const accounts = {
    members: () =>
      Promise.resolve({ items: PEOPLE.map((userId) => ({ userId })), nextCursor: null }),
    // Notifying Eve takes longer than notifying the others.
    users: { find: (id: string) => id === "eve" ? delay(SKEW_MS) : Promise.resolve(undefined) },
  } as unknown as AccountStore;
  const inboxes = openInboxes(kv);
  const delivery = createDeliveryQueue({
    kv,
    nodes,
    channels: [testChannel(() => ({ type: "sent", detail: "" }))],
    review: () => Promise.resolve(() => true),
    now: () => NOW,
    random: systemRandom,
    onTrouble: assert.fail,
  });
  return createFanOut({
    accounts,
    inboxes,
    delivery,
    publicOrigin: "https://svc.test",
    now: () => NOW,
    preferences: new PreferenceService(
      kv,
      accounts,
      (userId) => new SubscriptionStore(kv).hasAny(userId),
    ),
    live: new LiveStreams({
      counts: (view) => inboxes.counts(view),
      lastId: (userId) => inboxes.lastId(userId),
      after: (view, id, limit) => inboxes.after(view, id, limit),
      onTrouble: assert.fail,
    }),
    onTrouble: assert.fail,
  });
}

export const events: Holder = {
  role: "events",
  async prepare(kv) {
    const raising = openBus(kv);
    for (const project of ["one", "two"]) {
      await raising.record({
        event: "deployment.failed",
        audience: { type: "workspace", workspaceId: WORKSPACE },
        data: { project },
        key: undefined,
      });
    }
    await raising.close();
    const opened: EventBus[] = [];
    return {
      done: [],
      open(node) {
        const bus = openBus(node.kv, node.nodes);
        const passOn = openFanOut(node);
        const isStarted = () => opened.includes(bus);
        return Promise.resolve(async () => {
          if (!isStarted()) {
            opened.push(bus);
            bus.start(passOn);
          }
          await bus.passed("~");
        });
      },
      async outcome() {
        const inboxes = openInboxes(kv);
        const titles = await Promise.all(PEOPLE.map(async (userId) => {
          const { items } = await inboxes.list(
            { userId, workspaces: null },
            { archived: false, unreadOnly: false, limit: 10, offset: 0 },
          );
          return items.map(({ title }) => title);
        }));
        const under = async (...prefix: string[]) =>
          (await Array.fromAsync(kv.list({ prefix }))).length;
        return {
          titles,
          pending: await under("events", "pending"),
          messages: await under("delivery", "due"),
        };
      },
      async [Symbol.asyncDispose]() {
        for (const bus of opened) await bus.close();
      },
    };
  },
};

export const bot: Holder = {
  role: "bot",
  prepare(kv) {
    const done: string[] = [];
    const updates = [1, 2, 3].map((update_id) => ({ update_id }));
    const api = {
      call: (_: string, { offset }: { readonly offset: number }) =>
        Promise.resolve(updates.filter(({ update_id }) => update_id >= offset)),
    } as unknown as BotApi;
    return Promise.resolve({
      done,
      open({ kv, nodes }) {
        const poller = new BotPoller({
          kv,
          api,
          onTrouble: assert.fail,
          async handle({ update_id }, lease) {
            done.push(`answer ${update_id}`);
            await kv.atomic().set(["linked", update_id], true).commit(lease);
          },
        });
        return Promise.resolve(() => nodes.during("bot", (lease) => poller.poll(lease)));
      },
      outcome: async () => [
        (await kv.get(["messenger", "offset"])).value,
        (await Array.fromAsync(kv.list({ prefix: ["linked"] }))).length,
      ],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};

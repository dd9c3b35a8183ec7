/** Tests that only one node at a time checks servers, and removes projects' expired values. */
import assert from "node:assert/strict";
import { systemRandom } from "../../lib/clock.ts";
import { Addresses } from "../core/addresses.ts";
import { EventBus, EventStore } from "../core/events/mod.ts";
import { keys } from "../core/store/mod.ts";
import { HealthMonitor } from "../health/health_monitor.ts";
import { HealthStore } from "../health/health_store.ts";
import { KvStore } from "../../kv/mod.ts";
import type { Holder } from "./_test_lease_thief.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const HOUR_MS = 60 * 60 * 1000;

const OWNER = {
  id: "01890000-0000-7000-8000-000000000001",
  projectId: "project-1",
  projectName: "shop",
  workspaceId: "workspace-1",
};

export const health: Holder = {
  role: "health",
  prepare(kv) {
    const opened: EventBus[] = [];
    let time = 0;
    return Promise.resolve({
      done: [],
      // A process's event bus stores events for all callers.
      isOwn: ([first]) => ["events", "event_by_key", "event_notes"].includes(String(first)),
      async open({ kv, nodes }) {
        const bus = new EventBus({
          store: new EventStore(kv),
          nodes,
          now: Date.now,
          random: systemRandom,
          onTrouble: assert.fail,
        });
        opened.push(bus);
        const monitor = new HealthMonitor({
          store: new HealthStore(kv),
          computeService: { all: () => [], find: () => undefined },
          elsewhere: {
            all: () =>
              Promise.resolve([{ owner: OWNER, health: { state: "unhealthy", reason: "down" } }]),
            find: () => Promise.resolve(false),
          },
          sites: { deploymentAt: () => OWNER.id, resolve: () => undefined },
          addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "" }),
          raiseEvent: bus.raise,
          nodes,
          now: () => ++time,
          onTrouble: () => {},
        });
        await monitor.follow([keys.projectHealth(OWNER.projectId)]);
        // A change counts only if two consecutive checks agree.
        await monitor.check();
        return async () => {
          await monitor.check();
          await monitor.check();
        };
      },
      async outcome() {
        const named = (prefix: RecordKey) => Array.fromAsync(kv.list({ prefix }));
        const [record] = await named(keys.allProjectHealth());
        const raised = await named(["events", "pending"]);
        return {
          state: (record?.value as { state?: string })?.state,
          raised: raised.map(({ value }) => (value as { event: string }).event),
          notes: (await named(["event_notes"])).length,
        };
      },
      async [Symbol.asyncDispose]() {
        for (const bus of opened) await bus.close();
      },
    });
  },
};

export const projectKv: Holder = {
  role: "housekeeping",
  async prepare(kv) {
    const clock = { now: Date.now() };
    const open = (kv: RecordStore) =>
      new KvStore({
        kv,
        root: ["user_kv"],
        isOnlyWriter: false,
        random: systemRandom,
        now: () => clock.now,
      });
    const store = open(kv);
    for (const name of ["one", "two", "kept"]) {
      await store.set(["shop", "production"], name, {
        bytes: new TextEncoder().encode(name),
        contentType: "text/plain",
        ...(name === "kept" ? {} : { ttlSeconds: 3600 }),
      });
    }
    clock.now += 2 * HOUR_MS;
    return {
      done: [],
      open({ kv, nodes }) {
        const own = open(kv);
        return Promise.resolve(() =>
          nodes.during("housekeeping", (lease) => own.sweep(new AbortController().signal, lease))
        );
      },
      async outcome() {
        const stored = await Array.fromAsync(kv.list({ prefix: ["user_kv"] }));
        return stored.map(({ key, value }) => [key.slice(1), value]).sort();
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
};

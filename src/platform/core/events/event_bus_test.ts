import assert from "node:assert/strict";
import { until } from "../../../lib/_test_until.ts";
import { isUuid } from "../../../lib/ids.ts";
import { CheckCounter, withTwoProcesses } from "../store/_test_checks.ts";
import { UnavailableError } from "../../../lib/unavailable_error.ts";
import { EventBus, retryDelay } from "./event_bus.ts";
import { noteEvent } from "./event_note.ts";
import { EventIds, receiptId } from "./event_id.ts";
import { type EventRecord, EventStore } from "./event_store.ts";
import type { RaisedEvent } from "./raise_event.ts";
import { DenoStore, Lease, type RecordStore } from "../../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const NOW = Date.parse("2026-03-01T12:00:00Z");

let chance = 0;
const random = (count: number) => new Uint8Array(count).fill(chance++ % 256);

function live(project: string, key?: string): RaisedEvent {
  const audience = { type: "workspace", workspaceId: WORKSPACE } as const;
  return {
    event: "deployment.live",
    audience,
    data: { project },
    ...(key === undefined ? {} : { key }),
  };
}

async function withBus(
  run: (open: () => EventBus, troubles: string[], kv: RecordStore) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const [opened, troubles]: [EventBus[], string[]] = [[], []];
  try {
    await run(
      () => {
        const onTrouble = (message: string) => void troubles.push(message);
        const bus = new EventBus({ store: new EventStore(kv), now: () => NOW, random, onTrouble });
        opened.push(bus);
        return bus;
      },
      troubles,
      kv,
    );
  } finally {
    for (const bus of opened) await bus.close();
    kv.close();
  }
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve));

const projects = (events: readonly EventRecord[]) => events.map(({ data }) => data.project);

Deno.test("EventBus passes on events in order", () =>
  withBus(async (open) => {
    const bus = open();
    const seen: EventRecord[] = [];
    bus.start((events) => Promise.resolve(void seen.push(...events)));
    const names = Array.from({ length: 250 }, (_, index) => `p${index}`);
    const ids = await Promise.all(names.map((name) => bus.record(live(name))));
    await bus.passed(ids.at(-1)!);
    assert.deepEqual(projects(seen), names);
    assert.deepEqual(ids, ids.toSorted());
  }));

Deno.test("EventBus stores an event once per key", () =>
  withBus(async (open) => {
    const bus = open();
    const seen: EventRecord[] = [];
    const same = await Promise.all([bus.record(live("a", "1")), bus.record(live("b", "1"))]);
    assert.equal(same[0], same[1]);
    assert.equal(await bus.record(live("c", "1")), same[0]);
    const last = await bus.record(live("d", "2"));
    bus.start((events) => Promise.resolve(void seen.push(...events)));
    await bus.passed(last);
    assert.deepEqual(projects(seen), ["a", "d"]);
  }));

Deno.test("EventBus needs at most 10 checks per commit, because remote stores accept no more", () =>
  withBus(async (_, __, kv) => {
    const counting = new CheckCounter(kv);
    const store = new EventStore(counting);
    const bus = new EventBus({ store, now: () => NOW, random, onTrouble: assert.fail });
    const ids = Array.from({ length: 150 }, (_, n) => bus.record(live(`p${n}`, `${n}`)));
    assert.equal(new Set(await Promise.all(ids)).size, 150);
    assert.ok(counting.most <= 10, `${counting.most} checks`);
    await bus.close();
  }));

Deno.test("EventBus stores an event once per key, regardless of other processes", () =>
  withTwoProcesses(async (one, other) => {
    const buses = [one, other].map((kv) =>
      new EventBus({ store: new EventStore(kv), now: () => NOW, random, onTrouble: assert.fail })
    );
    const ids = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const raised = buses.flatMap((
        bus,
      ) => [bus.record(live("a", `${round}`)), bus.record(live("b"))]);
      const [first, , second] = await Promise.all(raised);
      assert.equal(first, second);
      ids.add(first!);
    }
    assert.equal(ids.size, 20);
    assert.equal((await new EventStore(one).pending(100)).length, 60);
    for (const bus of buses) await bus.close();
  }));

Deno.test("EventBus passes on stored events after a restart", () =>
  withBus(async (open) => {
    const first = open();
    const before = await first.record(live("before"));
    await first.close();
    const second = open();
    const seen: EventRecord[] = [];
    second.start((events) => Promise.resolve(void seen.push(...events)));
    const after = await second.record(live("after"));
    await second.passed(after);
    assert.deepEqual(projects(seen), ["before", "after"]);
    assert.ok(before < after);
  }));

Deno.test("EventBus keeps events that could not be passed on", () =>
  withBus(async (open, troubles) => {
    const first = open();
    first.start(() => Promise.reject(new Error("store is full")));
    await first.passed(await first.record(live("kept")));
    await first.close();
    assert.equal(troubles.length, 1);
    assert.ok(troubles[0]?.includes("store is full"));
    const second = open();
    const received = Promise.withResolvers<readonly EventRecord[]>();
    second.start((events) => Promise.resolve(received.resolve(events)));
    assert.deepEqual(projects(await received.promise), ["kept"]);
  }));

Deno.test("retryDelay() grows, but stays short while the store does not respond", () => {
  const outage = new UnavailableError("The store is down", { retryAfter: 5 });
  const delays = (error: Error) =>
    [0, 1, 2, 3, 6, 20].map((failures) => retryDelay(failures, error));
  assert.deepEqual(delays(new Error("a bug")), [1000, 2000, 4000, 8000, 60_000, 60_000]);
  assert.deepEqual(delays(outage), [1000, 2000, 4000, 5000, 5000, 5000]);
});

Deno.test("EventBus passes events on immediately when its node becomes the leader", async () => {
  const kv = await DenoStore.open(":memory:");
  let gained = () => {};
  const nodes = {
    isShared: true,
    leads: () => true,
    during: <T>(_: string, run: (lease: Lease) => Promise<T>) => run(Lease.ofSoleNode("events")),
    onGained: (_: string, act: () => void) => void (gained = act),
    onDeath: () => {},
  };
  const store = new EventStore(kv);
  const bus = new EventBus({ store, nodes, now: () => NOW, random, onTrouble: () => {} });
  try {
    const seen: string[] = [];
    let isDown = true;
    bus.start((events) => {
      if (isDown) return Promise.reject(new Error("the store is down"));
      seen.push(...projects(events) as string[]);
      return Promise.resolve();
    });
    const id = await bus.record(live("kept"));
    await bus.passed(id);
    assert.deepEqual(seen, []);
    isDown = false;
    gained();
    await bus.passed(id);
    assert.deepEqual(seen, ["kept"]);
  } finally {
    await bus.close();
    kv.close();
  }
});

Deno.test("EventBus.passed() waits for an event stored while others are being removed", () =>
  withBus(async (_, troubles, kv) => {
    const removal = Promise.withResolvers<void>();
    class SlowStore extends EventStore {
      override async remove(events: readonly EventRecord[]): Promise<void> {
        await removal.promise;
        await super.remove(events);
      }
    }
    const store = new SlowStore(kv);
    const onTrouble = (message: string) => void troubles.push(message);
    const bus = new EventBus({ store, now: () => NOW, random, onTrouble });
    const seen: EventRecord[] = [];
    bus.start(async (events) => {
      await nextTurn();
      seen.push(...events);
    });
    await bus.passed(await bus.record(live("first")));
    const passed = bus.passed(await bus.record(live("second")));
    removal.resolve();
    await passed;
    const inTime = projects(seen);
    await bus.close();
    assert.deepEqual(inTime, ["first", "second"]);
  }));

Deno.test("EventBus raises, at startup, stored events that were never raised", () =>
  withBus(async (open, _, kv) => {
    const first = open();
    const note = async (event: RaisedEvent) => {
      const operation = kv.atomic();
      noteEvent(operation, event);
      await operation.commit();
    };
    await note(live("raised", "1"));
    await first.record(live("raised", "1"));
    await note(live("forgotten", "2"));
    await first.close();
    for (const expected of [["raised", "forgotten"], []]) {
      const bus = open();
      const seen: EventRecord[] = [];
      bus.start((events) => Promise.resolve(void seen.push(...events)));
      await bus.passed(await bus.record(live("forgotten", "2")));
      await bus.close();
      assert.deepEqual(projects(seen), expected);
    }
    assert.equal((await Array.fromAsync(kv.list({ prefix: ["event_notes"] }))).length, 0);
  }));

Deno.test("EventBus passes on all events that arrived during a failure, in order", () =>
  withBus(async (open, troubles) => {
    const bus = open();
    const seen: EventRecord[] = [];
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    bus.start(async (events) => {
      await gate.promise;
      if (++calls === 3) throw new Error("once");
      seen.push(...events);
    });
    const names = Array.from({ length: 1500 }, (_, index) => `p${index}`);
    const ids = await Promise.all(names.map((name) => bus.record(live(name))));
    gate.resolve();
    while (seen.length < names.length) {
      await bus.passed(ids.at(-1)!);
      await nextTurn();
    }
    assert.deepEqual(projects(seen), names);
    assert.equal(troubles.length, 1);
  }));

Deno.test("EventBus finds another process's leftover events within a minute", () =>
  withTwoProcesses(async (one, other) => {
    let now = NOW;
    const busOver = (kv: RecordStore) =>
      new EventBus({ store: new EventStore(kv), now: () => now, random, onTrouble: assert.fail });
    const [running, crashed] = [busOver(one), busOver(other)];
    const seen: EventRecord[] = [];
    running.start((events) => Promise.resolve(void seen.push(...events)));
    await running.passed(await running.record(live("first")));
    await crashed.record(live("left"));
    now += 60_000;
    await running.passed(await running.record(live("last")));
    assert.deepEqual(projects(seen).toSorted(), ["first", "last", "left"]);
    for (const bus of [running, crashed]) await bus.close();
  }));

Deno.test("EventBus truncates strings that are too long", () =>
  withBus(async (open) => {
    const bus = open();
    const seen: EventRecord[] = [];
    bus.start((events) => Promise.resolve(void seen.push(...events)));
    await bus.passed(await bus.record(live("x".repeat(100_000))));
    assert.equal(seen[0]?.data.project, `${"x".repeat(1999)}…`);
  }));

Deno.test("EventBus.raise() never rejects", async () => {
  const kv = await DenoStore.open(":memory:");
  const troubles: string[] = [];
  const onTrouble = (message: string) => void troubles.push(message);
  const bus = new EventBus({ store: new EventStore(kv), now: () => NOW, random, onTrouble });
  kv.close();
  await bus.raise(live("lost"));
  assert.ok(troubles[0]?.startsWith("Cannot raise deployment.live: "));
});

Deno.test("EventIds.next() returns greater IDs, even if the clock is set back", () => {
  let now = NOW;
  const ids = new EventIds(() => now, random);
  const made = Array.from({ length: 5000 }, () => ids.next());
  now -= 1000;
  made.push(ids.next());
  assert.ok(made.every(isUuid));
  assert.deepEqual(made, made.toSorted());
  assert.equal(new Set(made).size, made.length);
  const later = new EventIds(() => 0, random);
  later.resume(made.at(-1)!);
  assert.ok(later.next() > made.at(-1)!);
});

Deno.test("receiptId() keeps the order of events and distinguishes receivers", () => {
  const ids = new EventIds(() => NOW, random);
  const [one, two] = [ids.next(), ids.next()];
  assert.ok(isUuid(receiptId(one, "a")));
  assert.equal(receiptId(one, "a"), receiptId(one, "a"));
  assert.notEqual(receiptId(one, "a"), receiptId(one, "b"));
  assert.ok(receiptId(one, "a") < receiptId(two, "a"));
});

Deno.test("EventBus raises events that a node stored but did not raise before it died", async () => {
  const kv = await DenoStore.open(":memory:");
  let look = () => {};
  const nodes = {
    isShared: true,
    leads: () => true,
    during: <T>(_: string, run: (lease: Lease) => Promise<T>) => run(Lease.ofSoleNode("events")),
    onGained: () => {},
    onDeath: (act: () => void) => void (look = act),
  };
  const store = new EventStore(kv);
  const bus = new EventBus({ store, nodes, now: () => NOW, random, onTrouble: assert.fail });
  try {
    const seen: unknown[] = [];
    bus.start((events) => Promise.resolve(void seen.push(...projects(events))));
    await bus.passed(await bus.record(live("first")));
    const operation = kv.atomic();
    noteEvent(operation, live("of the dead node", "key"));
    await operation.commit();
    look();
    look();
    await until(() => seen.length > 1);
    await bus.passed(await bus.record(live("last")));
    assert.deepEqual(seen, ["first", "of the dead node", "last"]);
    assert.deepEqual(await store.noted(), []);
  } finally {
    await bus.close();
    kv.close();
  }
});

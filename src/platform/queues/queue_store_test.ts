import assert from "node:assert/strict";
import { DenoStore, type RecordStore } from "../../store/mod.ts";
import { namesOfQueues } from "./list_messages.ts";
import type { NewMessage, QueueMessage, QueuePlace } from "./message.ts";
import { type DueEntry, QueueStore } from "./queue_store.ts";
import { endingOf, pauseAfter } from "./queue_worker.ts";

const PLACE: QueuePlace = ["p", "production", "mails"];
const RANDOM = (count: number) => crypto.getRandomValues(new Uint8Array(count));

async function withStore(
  test: (bench: {
    readonly kv: RecordStore;
    readonly store: QueueStore;
    readonly clock: { now: number };
    send(body: string, more?: Partial<NewMessage>): Promise<string>;
    due(): Promise<string[]>;
    end(body: string, ending?: "done" | "again" | "dead"): Promise<boolean>;
    keys(): Promise<string[]>;
  }) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const clock = { now: 1_000_000 };
  const store = new QueueStore({ kv, now: () => clock.now, random: RANDOM });
  const entries = async (): Promise<(DueEntry & {
    readonly message: QueueMessage | undefined;
    readonly body: string;
  })[]> => {
    const found = [];
    for await (const entry of store.due(PLACE, 10)) {
      const message = await store.find(PLACE, entry.id);
      found.push({ ...entry, message, body: message?.text ?? "" });
    }
    return found;
  };
  try {
    await test({
      kv,
      store,
      clock,
      async send(body, more = {}) {
        const sent = await store.send(PLACE, {
          labels: ["shop"],
          key: null,
          dedupeId: null,
          contentType: "text/plain",
          body: new TextEncoder().encode(body),
          dueAt: clock.now,
          ...more,
        });
        clock.now++;
        return sent.id;
      },
      due: async () => (await entries()).map(({ body }) => body),
      async end(body, type = "done") {
        const entry = (await entries()).find((each) => each.body === body)!;
        const reason = "The server responded with 500";
        const ending = type === "done"
          ? { type }
          : type === "again"
          ? { type, reason, at: clock.now + 5_000 }
          : { type, reason };
        return await store.end(PLACE, entry, { known: entry.message, ending });
      },
      async keys() {
        const names = new Set<string>();
        for await (const { key } of kv.list({ start: [""], end: ["~"] })) names.add(String(key[0]));
        return [...names].sort();
      },
    });
  } finally {
    kv.close();
  }
}

Deno.test("QueueStore makes one message per key due at a time, in the order they were sent", () =>
  withStore(async ({ send, due, end, store }) => {
    for (const body of ["a1", "a2", "a3"]) await send(body, { key: "a" });
    await send("b1", { key: "b" });
    await send("free");
    assert.deepEqual(await due(), ["a1", "b1", "free"]);
    await end("a1", "again");
    assert.deepEqual(await due(), ["b1", "free", "a1"], "a retry blocks its key");
    await end("a1", "dead");
    assert.deepEqual(await due(), ["b1", "free", "a2"], "a dead letter does not");
    await store.remove(PLACE, (await store.idsOf(PLACE, "waiting", 10)).at(-1)!);
    await end("a2");
    assert.deepEqual(await due(), ["b1", "free"], "a3 was deleted while it waited");
    const [dead] = await store.idsOf(PLACE, "dead", 10);
    await send("a4", { key: "a" });
    assert.equal(await store.retry(PLACE, dead!), "retried");
    assert.equal(await store.retry(PLACE, dead!), "held");
    assert.equal(await store.remove(PLACE, dead!, ["dead"]), false, "the message is waiting again");
    assert.equal(await store.retry(PLACE, "none"), "missing");
    assert.deepEqual(await due(), ["b1", "free", "a4"], "a retried dead letter goes to the end");
    await end("a4");
    assert.deepEqual(await due(), ["b1", "free", "a1"]);
  }));

Deno.test("namesOfQueues() lists each queue with dead letters, regardless of their number", () =>
  withStore(async ({ send, end, kv }) => {
    await send("letter");
    await end("letter", "dead");
    assert.deepEqual([...await namesOfQueues(kv, PLACE[0], PLACE[1])], [PLACE[2]]);
  }));

Deno.test("QueueStore does not lose a message that is sent while the last one with its key ends", () =>
  withStore(async ({ send, due, end }) => {
    for (let round = 0; round < 30; round++) {
      await send(`first ${round}`, { key: "k" });
      await Promise.all([end(`first ${round}`), send(`second ${round}`, { key: "k" })]);
      assert.deepEqual(await due(), [`second ${round}`]);
      await end(`second ${round}`);
    }
  }));

Deno.test("QueueStore removes all data of a delivered message, and counts messages", () =>
  withStore(async ({ send, end, store, keys, clock }) => {
    const large = new Uint8Array(200_000).fill(0xfe);
    const id = await send("", { body: large, dedupeId: "once" });
    assert.equal(await send("", { body: large, dedupeId: "once" }), id);
    await send("later", { dueAt: clock.now + 60_000, key: "k" });
    await send("held", { key: "k" });
    const message = await store.find(PLACE, id);
    assert.deepEqual(await store.bodyOf(PLACE, message!), large);
    assert.deepEqual(await store.count(PLACE, 100), { waiting: 3, dead: 0, done: 0 });
    assert.deepEqual(await store.count(PLACE, 2), { waiting: 2, dead: 0, done: 0 });
    await end("", "dead");
    assert.deepEqual(await store.count(PLACE, 100), { waiting: 2, dead: 1, done: 0 });
    assert.equal(await store.sweep(clock.now - 1_000, new AbortController().signal), 0);
    assert.equal(await store.sweep(clock.now + 1_000, new AbortController().signal), 1);
    await end("later");
    await end("held");
    await store.countDone(PLACE, 2);
    assert.deepEqual(await store.count(PLACE, 100), { waiting: 0, dead: 0, done: 2 });
    assert.deepEqual(await keys(), ["queue_active", "queue_counts", "queue_seen"]);
    await store.removeEnvironment("p", "production");
    assert.deepEqual(await keys(), []);
  }));

Deno.test("QueueStore ends a delivery only once, and only for the process that owns the queue", () =>
  withStore(async ({ send, store }) => {
    const id = await send("a");
    const [entry] = await Array.fromAsync(store.due(PLACE, 1));
    const done = { known: await store.find(PLACE, id), ending: { type: "done" } } as const;
    const fence = [{ key: ["queue_claims", ...PLACE], versionstamp: "0".repeat(20) }];
    assert.equal(await store.end(PLACE, entry!, { ...done, fence }), false);
    assert.equal((await store.find(PLACE, id))?.attempts, 0);
    assert.equal(await store.end(PLACE, entry!, done), true);
    assert.equal(await store.end(PLACE, entry!, done), false);
  }));

Deno.test("endingOf() schedules the allowed number of retries, with increasing delays", () => {
  const random = () => Uint8Array.of(0xff, 0xff);
  const pauses = [1, 2, 3, 20].map((attempt) => pauseAfter(attempt, random));
  assert.deepEqual(pauses, [5_000, 10_000, 20_000, 3_599_973]);
  assert.equal(pauseAfter(1, () => new Uint8Array(2)), 2_500);
  const failed = { type: "failed", reason: "no" } as const;
  const facts = { retries: 2, now: 0, random };
  assert.deepEqual(
    [1, 2, 3].map((attempt) => endingOf(failed, { ...facts, attempt }).type),
    ["again", "again", "dead"],
  );
  assert.deepEqual(endingOf({ type: "done" }, { ...facts, attempt: 9 }), { type: "done" });
});

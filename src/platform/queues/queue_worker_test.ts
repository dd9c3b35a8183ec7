import assert from "node:assert/strict";
import type { Site } from "../../edge/mod.ts";
import { until } from "../../lib/_test_until.ts";
import { DenoStore } from "../../store/mod.ts";
import { Addresses } from "../core/addresses.ts";
import { Claims } from "../core/nodes/mod.ts";
import { type DeliveryOutcome, findTarget } from "./deliver_message.ts";
import type { QueuePlace } from "./message.ts";
import { QueueStore } from "./queue_store.ts";
import { QueueWorker } from "./queue_worker.ts";

const PLACE: QueuePlace = ["mine", "production", "mails"];
const QUEUE = { name: "mails", path: "/mails", concurrency: 1, retries: 0, timeoutMs: 1000 };
const MESSAGE = {
  ...{ labels: ["shop"], key: null, dedupeId: null, contentType: "text/plain", dueAt: 0 },
  body: new TextEncoder().encode("hello"),
};
const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));

/** Creates the parts of a site that queues use. */
const siteOf = (projectId: string) =>
  ({ projectId, queues: new Map([["mails", QUEUE]]) }) as unknown as Site;

Deno.test("findTarget() ignores a deployment of another project that now has the host", async () => {
  const hosts = new Map([["shop.svc.example", siteOf("theirs")], [
    "own.svc.example",
    siteOf("mine"),
  ]]);
  const services = {
    sites: { resolve: (hostname: string) => hosts.get(hostname) },
    addresses: new Addresses({ protocol: "https:", domain: "svc.example", port: "" }),
  };
  assert.equal(await findTarget(services, PLACE, ["shop"]), undefined);
  assert.equal((await findTarget(services, PLACE, ["shop", "own"]))?.label, "own");
});

Deno.test("a message deleted during its delivery does not count, and leaves nothing behind", async () => {
  const kv = await DenoStore.open(":memory:");
  const now = () => Date.now();
  const store = new QueueStore({ kv, now, random });
  const { id } = await store.send(PLACE, MESSAGE);
  const delivery = Promise.withResolvers<DeliveryOutcome>();
  const worker = new QueueWorker(PLACE, {
    ...{ kv, store, now, random, claims: new Claims() },
    targetOf: () => Promise.resolve({ site: siteOf("mine"), label: "shop", queue: QUEUE }),
    deliver: () => delivery.promise,
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
  worker.wake();
  await until(() => Promise.resolve(worker.running), (running) => running === 1);
  assert.equal(await store.remove(PLACE, id), true);
  delivery.resolve({ type: "done" });
  await until(() => Promise.resolve(worker.running), (running) => running === 0);
  assert.equal(worker.uncounted, 0);
  await worker.close();
  assert.equal((await store.count(PLACE, 10)).done, 0);
  kv.close();
});

Deno.test("QueueWorker delivers as many messages at a time as the queue allows, each only once", async () => {
  const kv = await DenoStore.open(":memory:");
  const now = () => Date.now();
  const store = new QueueStore({ kv, now, random });
  const sent = [];
  for (let n = 0; n < 20; n++) sent.push((await store.send(PLACE, { ...MESSAGE, dueAt: n })).id);
  let [delivering, most] = [0, 0];
  const delivered: string[] = [];
  const worker = new QueueWorker(PLACE, {
    ...{ kv, store, now, random, claims: new Claims() },
    targetOf: () =>
      Promise.resolve({ site: siteOf("mine"), label: "shop", queue: { ...QUEUE, concurrency: 3 } }),
    async deliver(_target, _place, { id }) {
      most = Math.max(most, ++delivering);
      delivered.push(id);
      // Waits until the worker is delivering as many messages as the queue allows.
      await until(() => delivering === 3 || delivered.length > sent.length - 3);
      delivering--;
      return { type: "done" };
    },
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
  worker.wake();
  await until(() => delivered.length >= sent.length && worker.running === 0);
  assert.equal(most, 3);
  assert.deepEqual(delivered.toSorted(), sent.toSorted());
  await worker.close();
  assert.deepEqual(await store.count(PLACE, 10), { waiting: 0, dead: 0, done: 20 });
  kv.close();
});

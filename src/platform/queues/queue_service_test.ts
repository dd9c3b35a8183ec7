import assert from "node:assert/strict";
import { DenoStore } from "../../store/mod.ts";
import type { Site } from "../../edge/mod.ts";
import type { NewMessage, QueuePlace } from "./message.ts";
import { QueueService } from "./queue_service.ts";

const PLACE: QueuePlace = ["p", "production", "mails"];
const QUEUE = { name: "mails", path: "/mails", concurrency: 1, retries: 0, timeoutMs: 1000 };

const messageWith = (dedupeId: string | null): NewMessage => ({
  labels: ["shop"],
  key: null,
  dedupeId,
  contentType: "text/plain",
  body: new TextEncoder().encode("hello"),
  dueAt: 0,
});

Deno.test("QueueService.send() returns the ID of a repeated message, even if the queue is full", async () => {
  using kv = await DenoStore.open(":memory:");
  const site = { projectId: "p", queues: new Map([["mails", QUEUE]]) } as unknown as Site;
  const service = new QueueService({
    kv,
    now: () => 0,
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    sites: { resolve: () => site },
    addresses: { hostname: (label) => `${label}.localhost`, url: () => "http://shop.localhost" },
    secretOf: () => "whsec_",
    record: () => {},
    closing: new AbortController().signal,
    // So many nodes share the queue that this one may store only one message.
    nodes: {
      instance: "a",
      isAlive: () => Promise.resolve(true),
      onDeath: () => {},
      count: () => 100_000,
    },
    onTrouble: (message) => assert.fail(message),
  });
  const { id } = await service.send(PLACE, messageWith("order 1"));
  for (const other of [null, "order 2"]) {
    await assert.rejects(service.send(PLACE, messageWith(other)), { code: "storage_full" });
  }
  const again = await service.send(PLACE, messageWith("order 1"));
  assert.deepEqual(again, { id, isDuplicate: true });
});

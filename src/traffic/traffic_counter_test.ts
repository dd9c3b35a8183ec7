import assert from "node:assert/strict";
import { TrafficCounter } from "./traffic_counter.ts";

const client = {
  ip: "192.0.2.1",
  header: () => "Mozilla/5.0",
  country: () => undefined,
  device: () => "desktop",
};

const requestAt = (time: number) => ({
  projectId: "p",
  deploymentId: "d",
  host: "shop.example",
  client,
  time,
  layer: "static" as const,
  status: 200,
  bytes: 1,
  durationMs: 1,
  page: undefined,
});

Deno.test("an unavailable salt is requested once, and again after a pause", async () => {
  let asked = 0;
  const errors: unknown[] = [];
  const counter = new TrafficCounter({
    salt: () =>
      asked++ === 0 ? Promise.reject(new Error("full")) : Promise.resolve(new Uint8Array(16)),
    onError: (error) => errors.push(error),
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  for (let time = 0; time < 100; time++) {
    counter.count(requestAt(time));
    await settled();
  }
  assert.deepEqual([asked, errors.length], [1, 1]);
  counter.count(requestAt(20_000));
  await settled();
  counter.count(requestAt(20_001));
  assert.equal(asked, 2);
  const [taken] = counter.take();
  assert.equal(taken?.counts.requests, 102);
  assert.equal(taken?.counts.visitors.byteLength, 3, "one visitor");
});

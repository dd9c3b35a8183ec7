import assert from "node:assert/strict";
import type { AccessRecord } from "../../edge/mod.ts";
import { until } from "../../lib/_test_until.ts";
import type { CountedRequest } from "../../traffic/mod.ts";
import { ServedLog } from "./served_log.ts";

interface Body {
  readonly process: string;
  readonly batch: number;
  readonly served: readonly {
    readonly requestId: string;
    readonly counted?: unknown;
    readonly matched?: unknown;
  }[];
}

const record = (requestId: string): AccessRecord => ({
  time: 0,
  projectId: "p",
  deploymentId: "d",
  requestId,
  method: "GET",
  host: "shop.localhost",
  path: "/",
  status: 200,
  bytes: 1,
  durationMs: 1,
  ip: "127.0.0.1",
  userAgent: null,
});

const counted = {
  layer: "static",
  page: "/",
  client: { header: () => null, country: () => "JP" },
} as unknown;

/** Creates a log with a platform that accepts batches while `isThere()` is true. */
function logTo(isThere: () => boolean) {
  const tried: Body[] = [];
  const taken: Body[] = [];
  const trouble: string[] = [];
  const log = new ServedLog({
    client: {
      send(_path, { body } = {}) {
        const batch = structuredClone(body) as Body;
        tried.push(batch);
        if (!isThere()) return Promise.reject(new Error("away"));
        taken.push(batch);
        return Promise.resolve(undefined);
      },
    },
    random: (count) => new Uint8Array(count),
    isThere: () => true,
    onTrouble: (message) => trouble.push(message),
  });
  const ids = () => taken.flatMap(({ served }) => served.map(({ requestId }) => requestId));
  return { log, tried, taken, trouble, ids };
}

Deno.test("ServedLog sends the recorded requests with their counts", async () => {
  const { log, taken } = logTo(() => true);
  log.record(record("a"));
  log.count(counted as CountedRequest);
  log.match(["seen"]);
  log.record(record("b"));
  log.match([]);
  await log.close();
  assert.deepEqual(taken.map(({ batch, served }) => [batch, served.length]), [[1, 2]]);
  assert.deepEqual(taken[0]!.served.map(({ counted }) => counted), [
    { layer: "static", isPage: true, referrer: null, country: "JP" },
    undefined,
  ]);
  assert.deepEqual(taken[0]!.served.map(({ matched }) => matched), [["seen"], undefined]);
});

Deno.test("ServedLog resends a batch until the platform has it and keeps the order", async () => {
  let isThere = false;
  const { log, tried, ids } = logTo(() => isThere);
  log.record(record("a"));
  await until(() => tried.length >= 2);
  assert.deepEqual(tried.map(({ batch }) => batch), [1, 1]);
  log.record(record("b"));
  isThere = true;
  await log.close();
  assert.deepEqual(ids(), ["a", "b"]);
});

Deno.test("ServedLog limits its batches and its queue", async () => {
  let isThere = false;
  const { log, taken, trouble, ids } = logTo(() => isThere);
  const path = `/${"x".repeat(8192)}`;
  for (let at = 0; at < 5000; at++) log.record({ ...record(String(at)), path });
  isThere = true;
  await log.close();
  const kept = ids().length;
  const characters = kept * path.length;
  assert.ok(characters > 30 * 2 ** 20 && characters < 32 * 2 ** 20, `${kept} kept`);
  assert.ok(taken.every(({ served }) => JSON.stringify(served).length < 1.1 * 2 ** 20));
  assert.match(trouble[0] ?? "", new RegExp(`Omitted ${5000 - kept} requests`));
  for (let at = 0; at < 1500; at++) log.record(record(String(at)));
  await log.close();
  assert.equal(ids().length, kept + 1500);
  assert.ok(taken.every(({ served }) => served.length <= 1000));
});

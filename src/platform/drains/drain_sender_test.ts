import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import { OutboundError, type OutboundFetch } from "../../runtime/mod.ts";
import { attributesOf, partialSuccess, TestReceiver } from "./_test_receiver.ts";
import { DrainSender, MAX_AGE_MS, QUEUE_BYTES, QUEUE_RECORDS, SendBudget } from "./drain_sender.ts";
import { createResource, entryRecord, MAX_TEXT } from "./log_records.ts";
import { signalUrl } from "./post_batch.ts";

const START = Date.parse("2026-11-27T10:00:00Z");
const owner = {
  resource: createResource({ "service.name": "shop" }),
  mask: (text: string) => text,
};

/** An endpoint that never responds. */
const never: OutboundFetch = ({ signal }) =>
  new Promise((_, reject) => {
    const abort = () => reject(new OutboundError("aborted", "The request was aborted"));
    (signal as AbortSignal).addEventListener("abort", abort);
  });

/** Creates a sender with an in-memory receiver, and a clock that the test advances. */
function setUp({ outbound, budget = new SendBudget() }: {
  readonly outbound?: OutboundFetch;
  readonly budget?: SendBudget;
} = {}) {
  const receiver = new TestReceiver();
  const clock = { now: START };
  const troubles: string[] = [];
  const sender = new DrainSender(
    { url: "https://otlp.example.com/in", headers: { authorization: "Bearer s3cret" } },
    {
      outbound: outbound ??
        ((request) => receiver.outbound({ ...request, url: request.url.replace("/in/", "/") })),
      now: () => clock.now,
      random: (length) => new Uint8Array(length),
      budget,
      resource: createResource({ "service.name": "svc" }),
      times: { batchMs: 1, retryMs: 1, maxRetryMs: 4 },
      onTrouble: (message) => troubles.push(message),
    },
  );
  const add = (message: string) =>
    sender.add(entryRecord(owner, {
      type: "server",
      time: new Date(clock.now).toISOString(),
      deploymentId: "d1",
      requestId: null,
      layer: "web",
      level: "info",
      message,
    }));
  const idle = () => until(() => sender.health, ({ waiting }) => waiting === 0);
  const shop = { deploymentId: "d1", resource: owner.resource };
  const count = (status: number, durationMs: number, method = "GET") =>
    sender.count(shop, {
      type: "request",
      time: "",
      deploymentId: "d1",
      requestId: "",
      method,
      host: "",
      path: "/",
      status,
      bytes: 0,
      durationMs,
      ip: "",
      userAgent: null,
    });
  return { receiver, clock, troubles, sender, add, count, idle, budget };
}

const lines = ({ records }: TestReceiver) => records.map(({ body }) => body);

Deno.test("DrainSender sends batches with its headers, and counts the records", async () => {
  const { receiver, sender, add, idle, budget } = setUp();
  for (let number = 0; number < 1500; number++) add(`line ${number}`);
  assert.equal(sender.health.waiting, 1500);
  await idle();
  assert.equal(receiver.records.length, 1500);
  assert.equal(receiver.requests, 3);
  assert.equal(receiver.headers[0]!.get("authorization"), "Bearer s3cret");
  assert.deepEqual(sender.health, {
    sent: 1500,
    dropped: 0,
    waiting: 0,
    lastSuccessAt: START,
    lastErrorAt: null,
    lastError: null,
  });
  assert.equal(budget.used, 0);
});

Deno.test("DrainSender retries only errors that the specification lists", async () => {
  for (
    const [status, isRetried] of [
      [429, true],
      [502, true],
      [503, true],
      [504, true],
      [301, false],
      [400, false],
      [401, false],
      [404, false],
      [413, false],
      [500, false],
    ] as const
  ) {
    const { receiver, sender, add, idle, troubles } = setUp();
    receiver.answer = (request) => request < 3 ? { status } : {};
    add("first");
    await idle();
    const { sent, dropped, lastError } = sender.health;
    assert.deepEqual([sent, dropped], isRetried ? [1, 0] : [0, 1], `${status}`);
    assert.equal(lastError, `The endpoint responded with status ${status}`);
    assert.equal(troubles.length, isRetried ? 0 : 1);
  }
});

Deno.test("DrainSender waits as long as Retry-After says", async () => {
  const { receiver, sender, add, idle } = setUp();
  const times: number[] = [];
  receiver.answer = (request) => {
    times.push(performance.now());
    return request === 1 ? { status: 503, headers: [["retry-after", "1"]] } : {};
  };
  add("first");
  await until(() => receiver.requests, (requests) => requests === 1);
  // Even a full batch does not end the wait.
  for (let number = 0; number < 600; number++) add("more");
  await idle();
  assert.ok(times[1]! - times[0]! >= 990, `${times}`);
  assert.equal(sender.health.sent, 601);
});

Deno.test("DrainSender counts and shows a partial success, without credentials", async () => {
  const { receiver, sender, add, idle } = setUp();
  receiver.answer = () => ({ body: partialSuccess(300, "too old for s3cret") });
  for (let number = 0; number < 400; number++) add("line");
  await idle();
  const { sent, dropped, lastError } = sender.health;
  assert.deepEqual([sent, dropped], [100, 300]);
  assert.equal(lastError, "The endpoint rejected 300 records: too old for •••");
});

Deno.test("DrainSender keeps the latest records while the endpoint is down, and reports the lost ones", async () => {
  const state = { isAway: true };
  const { receiver } = setUp();
  const { clock, sender, add, idle, troubles } = setUp({
    outbound(request) {
      if (state.isAway) throw new OutboundError("connect_failed", "No connection to the host");
      return receiver.outbound({ ...request, url: request.url.replace("/in/", "/") });
    },
  });
  add("old");
  await until(() => sender.health, ({ lastErrorAt }) => lastErrorAt !== null);
  clock.now += MAX_AGE_MS / 2;
  for (let number = 0; number < QUEUE_RECORDS + 10; number++) add(`line ${number}`);
  assert.equal(sender.health.dropped, 10);
  clock.now += MAX_AGE_MS / 2 + 1;
  state.isAway = false;
  await idle();
  const all = lines(receiver);
  assert.equal(sender.health.lastError, "No connection to the host");
  assert.ok(all.includes("line 10") && !all.includes("line 9"));
  assert.ok(all.includes(`line ${QUEUE_RECORDS + 9}`));
  const reports = receiver.records.filter(({ attributes }) => attributes["svc.drain.dropped"]);
  const said = reports.map(({ attributes }) => Number(attributes["svc.drain.dropped"]));
  const missing = QUEUE_RECORDS + 11 - (all.length - reports.length);
  assert.equal(said.reduce((sum, count) => sum + count, 0), missing);
  assert.equal(sender.health.dropped, missing);
  assert.match(troubles[0]!, /^Dropped 1 log record for the drain otlp\.example\.com: /);
});

Deno.test("DrainSender drops records that have waited for an hour", async () => {
  const { clock, sender, add, idle } = setUp({
    outbound: () => Promise.reject(new OutboundError("dns_failed", "No address")),
  });
  add("old");
  await until(() => sender.health, ({ lastErrorAt }) => lastErrorAt !== null);
  clock.now += MAX_AGE_MS + 1;
  await idle();
  assert.equal(sender.health.dropped, 1);
});

Deno.test("a DrainSender and all senders together stay within their byte limits", async () => {
  const budget = new SendBudget(QUEUE_BYTES + 1024 * 1024);
  const [one, two] = [setUp({ outbound: never, budget }), setUp({ outbound: never, budget })];
  const long = "x".repeat(MAX_TEXT);
  for (let number = 0; number < 400; number++) one.add(long);
  assert.ok(budget.used <= QUEUE_BYTES, `${budget.used}`);
  for (let number = 0; number < 400; number++) two.add(long);
  assert.ok(budget.used <= budget.max, `${budget.used}`);
  assert.equal(two.sender.health.dropped + two.sender.health.waiting, 400);
  assert.ok(two.sender.health.waiting > 0);
  await Promise.all([one.sender.close(0), two.sender.close(0)]);
});

Deno.test("DrainSender closes within the given time, and sends waiting records", async () => {
  const { receiver, sender, add } = setUp();
  add("last");
  await sender.close(20_000);
  assert.deepEqual(lines(receiver), ["last"]);
  const hanging = setUp({ outbound: never });
  hanging.add("lost");
  hanging.count(200, 3);
  const started = performance.now();
  await hanging.sender.close(50);
  assert.ok(performance.now() - started < 9000);
  const measured = setUp();
  measured.count(200, 3);
  await measured.sender.close(20_000);
  assert.equal(measured.receiver.metrics.length, 1);
});

Deno.test("DrainSender sends cumulative metrics until the endpoint refuses them", async () => {
  const { receiver, sender, clock, count } = setUp();
  count(200, 3);
  count(200, 30_000);
  count(404, 5, "BREW");
  await sender.sendMetrics();
  await sender.sendMetrics();
  assert.equal(receiver.metrics.length, 1);
  count(200, 3);
  clock.now += 60_000;
  await sender.sendMetrics();
  const [{ resource, scopeMetrics: [{ metrics: [metric] }] }] =
    receiver.metrics[1]!.resourceMetrics;
  assert.deepEqual(attributesOf(resource.attributes), { "service.name": "shop" });
  assert.equal(metric.name, "http.server.request.duration");
  const { aggregationTemporality, dataPoints } = metric.histogram;
  assert.equal(aggregationTemporality, "AGGREGATION_TEMPORALITY_CUMULATIVE");
  const points = dataPoints.map(
    (
      { attributes, count, sum, bucketCounts, startTimeUnixNano, timeUnixNano }: typeof dataPoints,
    ) => [
      Object.values(attributesOf(attributes)).join(" "),
      count,
      sum,
      bucketCounts[0],
      bucketCounts.at(-1),
      timeUnixNano - startTimeUnixNano,
    ],
  );
  assert.deepEqual(points, [
    ["_OTHER 404", 1, 0.005, 1, 0, 6e10],
    ["GET 200", 3, 30.006, 2, 1, 6e10],
  ]);
  receiver.answer = () => ({ status: 404 });
  count(200, 1);
  await sender.sendMetrics();
  count(200, 1);
  await sender.sendMetrics();
  assert.equal(receiver.requests, 3);
  assert.equal(sender.health.lastError, "Metrics: The endpoint responded with status 404");
});

Deno.test("signalUrl() adds a signal's path only once, and keeps the query", () => {
  for (
    const [url, expected] of [
      ["https://otlp.example", "https://otlp.example/v1/logs"],
      ["http://localhost:4318/", "http://localhost:4318/v1/logs"],
      ["https://a.example/otlp?key=1", "https://a.example/otlp/v1/logs?key=1"],
      ["https://a.example/otlp/v1/logs", "https://a.example/otlp/v1/logs"],
      ["https://a.example/v1/metrics/", "https://a.example/v1/logs"],
    ] as const
  ) assert.equal(signalUrl(url, "logs"), expected);
});

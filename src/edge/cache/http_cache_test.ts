import assert from "node:assert/strict";
import { ok, readAnswer, testBody, TestCache } from "./_test_origin.ts";

const FRESH = { "cache-control": "max-age=60", etag: '"a"' };
const SWR = { "cache-control": "max-age=60, stale-while-revalidate=600", etag: '"a"' };

Deno.test("handle() reports its actions in Cache-Status, Age and x-svc-cache", async () => {
  const test = new TestCache(() => ok("one", { ...FRESH, "cache-status": "origin; hit" }));
  const miss = await test.read();
  assert.equal(
    miss.header("cache-status"),
    "origin; hit, svc; fwd=uri-miss; fwd-status=200; stored",
  );
  assert.equal(miss.header("x-svc-cache"), "MISS");
  test.now += 12_000;
  const hit = await test.read();
  assert.equal(hit.header("cache-status"), "origin; hit, svc; hit; ttl=48");
  assert.equal(hit.header("x-svc-cache"), "HIT");
  assert.equal(hit.header("age"), "12");
});

/** Requests whose responses are not stored, with the reason in `Cache-Status`. */
const REPORTS = [
  {
    name: "bypass rule",
    ask: {},
    rule: "bypass",
    status: "svc; fwd=bypass; fwd-status=200",
    result: "BYPASS",
  },
  {
    name: "method",
    ask: { method: "PUT" },
    rule: {},
    status: "svc; fwd=method; fwd-status=200",
    result: "BYPASS",
  },
  {
    name: "If-Match",
    ask: { headers: { "if-match": "*" } },
    rule: {},
    status: "svc; fwd=request; fwd-status=200",
    result: "BYPASS",
  },
  {
    name: "no-store",
    ask: {},
    rule: {},
    status: "svc; fwd=uri-miss; fwd-status=200; detail=no_store",
    result: "MISS",
  },
] as const;

for (const { name, ask, rule, status, result } of REPORTS) {
  Deno.test(`handle() reports responses that are not stored: ${name}`, async () => {
    const test = new TestCache(() => ok("x", { "cache-control": "no-store" }));
    const answer = await test.read(ask, rule);
    assert.equal(answer.header("cache-status"), status);
    assert.equal(answer.result, result);
    assert.equal(test.cache.size, 0);
  });
}

Deno.test("handle() distinguishes a missing variant from a missing URI", async () => {
  const test = new TestCache(() => ok("x", { ...FRESH, vary: "x-a" }));
  await test.read({ headers: { "x-a": "1" } });
  const other = await test.read({ headers: { "x-a": "2" } });
  assert.match(other.header("cache-status") ?? "", /fwd=vary-miss/);
  assert.equal((await test.read({ headers: { "x-a": "1" } })).result, "HIT");
  assert.equal((await test.read({ headers: { "x-a": "2" } })).result, "HIT");
});

Deno.test("handle() serves a stale response and refreshes it once in the background", async () => {
  const test = new TestCache(() => ok("one", SWR));
  await test.read();
  test.now += 100_000;
  const { promise, resolve } = Promise.withResolvers<void>();
  test.respond = async () => {
    await promise;
    return ok("two", SWR);
  };
  const answers = await Promise.all([test.ask(), test.ask(), test.ask()]);
  assert.deepEqual(answers.map(({ result }) => result), ["STALE", "STALE", "STALE"]);
  assert.match((await readAnswer(answers[0]!)).header("cache-status") ?? "", /^svc; hit; ttl=-40/);
  assert.equal(test.seen.length, 2);
  assert.equal(test.seen[1]!.headers["if-none-match"], '"a"');
  resolve();
  await Promise.all(test.work);
  assert.equal((await test.read()).text, "two");
});

Deno.test("handle() does not refresh with a request whose response must not be stored", async () => {
  const test = new TestCache(() => ok("one", SWR));
  await test.read();
  test.now += 100_000;
  const asked = await test.read({ headers: { "cache-control": "no-store" } });
  assert.deepEqual([asked.result, test.seen.length, test.cache.size], ["STALE", 1, 1]);
});

Deno.test("handle() keeps the stale response when the refresh fails", async () => {
  const test = new TestCache(() => ok("one", SWR));
  await test.read();
  test.now += 100_000;
  test.respond = () => ok("broken", { "cache-control": "max-age=60" }, 503);
  assert.equal((await test.read()).text, "one");
  test.respond = () => {
    throw new Error("Cannot connect");
  };
  assert.equal((await test.read()).text, "one");
  assert.equal((await test.read()).result, "STALE");
  assert.equal(test.errors.length, 2);
});

Deno.test("handle() updates the stored fields from a 304 (RFC 9111, 3.2)", async () => {
  const test = new TestCache(() =>
    ok("one", { ...FRESH, "x-build": "1", "x-old": "kept", "content-type": "text/plain" })
  );
  await test.read();
  test.now += 100_000;
  test.respond = () =>
    ok(null, {
      "cache-control": "max-age=600",
      etag: '"a"',
      "x-build": "2",
      "content-encoding": "br",
      "content-length": "99",
      "set-cookie": "a=1",
    }, 304);
  const validated = await test.read();
  assert.equal(validated.header("cache-status"), "svc; fwd=stale; fwd-status=304; ttl=600; stored");
  test.now += 500_000;
  const hit = await test.read();
  assert.equal(hit.result, "HIT");
  assert.deepEqual(
    ["x-build", "x-old", "content-encoding", "set-cookie", "age"].map((name) => hit.header(name)),
    ["2", "kept", undefined, undefined, "500"],
  );
});

Deno.test("handle() fetches again if a 304 is for another response (RFC 9111, 4.3.4)", async () => {
  const test = new TestCache(() => ok("one", FRESH));
  await test.read();
  test.now += 100_000;
  test.respond = ({ headers }) =>
    "if-none-match" in headers
      ? ok(null, { etag: '"b"' }, 304)
      : ok("two", { ...FRESH, etag: '"b"' });
  assert.equal((await test.read()).text, "two");
  assert.equal((await test.read()).result, "HIT");
});

Deno.test("handle() keeps only the latest response to a request", async () => {
  const test = new TestCache((_, count) => ok(String(count), { "cache-control": "max-age=60" }));
  await test.read();
  test.now += 100_000;
  await test.read();
  assert.equal(test.cache.size, 1);
  assert.equal((await test.read()).text, "2");
});

Deno.test("handle() removes a stale response if the new one must not be stored", async () => {
  const test = new TestCache(() => ok("one", FRESH));
  await test.read();
  test.now += 100_000;
  test.respond = () => ok("mine", { "cache-control": "private" });
  assert.equal((await test.read()).text, "mine");
  assert.equal(test.cache.size, 0);
});

Deno.test("handle() drops a response that a 304 makes private", async () => {
  const test = new TestCache(() => ok("one", FRESH));
  await test.read();
  test.now += 100_000;
  test.respond = () => ok(null, { "cache-control": "private" }, 304);
  const last = await test.read();
  assert.deepEqual([last.text, last.result], ["one", "MISS"]);
  assert.equal(test.cache.size, 0);
});

Deno.test("handle() refuses a 304 to a request without conditions", async () => {
  const test = new TestCache(() => ok(null, {}, 304));
  await assert.rejects(test.read(), /the request had no condition/);
});

/** `Range` values for the stored body "0123456789". */
const RANGES: readonly {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly text: string;
}[] = [
  { name: "one range", headers: { range: "bytes=2-4" }, status: 206, text: "234" },
  { name: "the last bytes", headers: { range: "bytes=-2" }, status: 206, text: "89" },
  { name: "a range beyond the end", headers: { range: "bytes=20-" }, status: 416, text: "" },
  { name: "an unknown unit", headers: { range: "lines=1-2" }, status: 200, text: "0123456789" },
  {
    name: "If-Range matches",
    headers: { range: "bytes=0-0", "if-range": '"a"' },
    status: 206,
    text: "0",
  },
  {
    name: "If-Range does not match",
    headers: { range: "bytes=0-0", "if-range": '"b"' },
    status: 200,
    text: "0123456789",
  },
  {
    name: "conditions are evaluated first",
    headers: { range: "bytes=0-0", "if-none-match": '"a"' },
    status: 304,
    text: "",
  },
];

for (const { name, headers, status, text } of RANGES) {
  Deno.test(`handle() serves ranges from the store: ${name}`, async () => {
    const test = new TestCache(() => ok("0123456789", FRESH));
    await test.read();
    const answer = await test.read({ headers });
    assert.deepEqual([answer.status, answer.text], [status, text]);
    assert.equal(test.seen.length, 1);
    if (status === 416) assert.equal(answer.header("content-range"), "bytes */10");
  });
}

Deno.test("handle() sends several ranges in one body", async () => {
  const test = new TestCache(() => ok("0123456789", { ...FRESH, "content-type": "text/plain" }));
  await test.read();
  const answer = await test.read({ headers: { range: "bytes=0-1,5-6" } });
  assert.equal(answer.status, 206);
  assert.match(answer.header("content-type") ?? "", /^multipart\/byteranges; boundary=/);
  assert.match(answer.text, /content-range: bytes 0-1\/10\r\n\r\n01\r\n/);
  assert.match(answer.text, /content-range: bytes 5-6\/10\r\n\r\n56\r\n/);
});

Deno.test("handle() fetches HEAD as GET, and stores the response", async () => {
  const test = new TestCache(() => ok("one", FRESH));
  const head = await test.read({ method: "HEAD" });
  assert.deepEqual([head.text, head.header("content-length")], ["", "3"]);
  assert.equal((await test.read()).text, "one");
  const stored = await test.read({ method: "HEAD" });
  assert.deepEqual([stored.text, stored.header("content-length")], ["", "3"]);
  assert.equal(test.seen.length, 1);
});

Deno.test("handle() sends no length for a HEAD whose body has not arrived", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, FRESH));
  const head = await test.ask({ method: "HEAD" });
  assert.ok(head.body instanceof ReadableStream, "a server would add a length of 0");
  assert.equal((await readAnswer(head)).header("content-length"), undefined);
  body.write("one");
  body.close();
  await Promise.all(test.work);
  assert.equal((await test.read({ method: "HEAD" })).header("content-length"), "3");
});

Deno.test("handle() uses a conditional request to fill the store, and responds with 304", async () => {
  const test = new TestCache(() => ok("one", FRESH));
  const answer = await test.read({ headers: { "if-none-match": '"a"' } });
  assert.deepEqual([answer.status, answer.text], [304, ""]);
  assert.equal(test.seen[0]!.headers["if-none-match"], undefined);
  assert.equal((await test.read()).text, "one");
  assert.equal(test.seen.length, 1);
});

Deno.test("handle() invalidates the URIs of an unsafe exchange (RFC 9111, 4.4)", async () => {
  const test = new TestCache(() => ok("x", FRESH));
  const urls = ["/page", "/page?a=1", "/list", "/item?id=1", "/far"];
  for (const url of urls) await test.read({ url });
  test.respond = () => ok("done", { location: "/list", "content-location": "item?id=1" }, 201);
  await test.read({ method: "POST" });
  test.respond = () => ok("done", { location: "https://other.test/far" });
  await test.read({ method: "DELETE", url: "/nothing" });
  test.respond = () => ok("y", FRESH);
  const results = [];
  for (const url of urls) results.push((await test.read({ url })).result);
  assert.deepEqual(results, ["MISS", "HIT", "MISS", "MISS", "HIT"]);
});

Deno.test("handle() reports invalidated URIs that can be stored here or elsewhere", async () => {
  const test = new TestCache(() => ok("x", FRESH));
  const told: string[] = [];
  test.cache.onInvalidation((uris) => told.push(uris.map(({ path }) => path).join(" ")));
  await test.read({ url: "/here" });
  test.cache.noteCopy({ deploymentId: "dep", host: "shop.test", path: "/copied", rawQuery: "" });
  for (const url of ["/here", "/copied", "/nowhere", "/copied?a=1"]) {
    await test.read({ method: "POST", url });
  }
  // A front edge may still have a copy.
  await test.read({ method: "POST", url: "/copied" });
  assert.deepEqual(told, ["/here", "/copied", "/copied"]);
});

Deno.test("handle() invalidates nothing after a failed or a safe request", async () => {
  const test = new TestCache(() => ok("x", FRESH));
  await test.read();
  test.respond = () => ok("no", {}, 500);
  await test.read({ method: "PUT" });
  test.respond = () => ok("", {}, 200);
  await test.read({ method: "OPTIONS" });
  assert.equal((await test.read()).result, "HIT");
});

const PURGES = [
  { scope: { type: "all" }, left: [] },
  { scope: { type: "path", path: "/blog" }, left: ["/blog/1", "/blog/2?p=1", "/about"] },
  { scope: { type: "prefix", prefix: "/blog/" }, left: ["/blog", "/blog?p=1", "/about"] },
] as const;

for (const { scope, left } of PURGES) {
  Deno.test(`purge() with scope ${scope.type} removes responses of one deployment`, async () => {
    const test = new TestCache(() => ok("x", FRESH));
    const urls = ["/blog", "/blog?p=1", "/blog/1", "/blog/2?p=1", "/about"];
    for (const url of urls) await test.read({ url });
    await test.read({ url: "/blog", deploymentId: "other" });
    assert.equal(test.cache.purge("dep", scope), urls.length - left.length);
    const seen = test.seen.length;
    for (const url of left) assert.equal((await test.read({ url })).result, "HIT");
    assert.equal((await test.read({ url: "/blog", deploymentId: "other" })).result, "HIT");
    assert.equal(test.seen.length, seen);
  });
}

Deno.test("encoded content without Vary goes only to clients that accept the same encodings", async () => {
  const test = new TestCache(({ headers }) =>
    headers["accept-encoding"] === undefined
      ? ok("plain", FRESH)
      : ok("encoded", { ...FRESH, "content-encoding": "gzip" })
  );
  const gzip = { headers: { "accept-encoding": "gzip, br" } };
  assert.equal((await test.read(gzip)).result, "MISS");
  assert.equal((await test.read({ headers: { "accept-encoding": "br,gzip" } })).result, "HIT");
  const plain = await test.read();
  assert.deepEqual([plain.result, plain.header("content-encoding")], ["MISS", undefined]);
  assert.equal((await test.read()).result, "HIT");
});

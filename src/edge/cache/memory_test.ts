import assert from "node:assert/strict";
import type { Bytes } from "../messages/body.ts";
import { ok, readAnswer, TestCache } from "./_test_origin.ts";

const SIZE = 13 * 1024;
const TEXT = "0123456789abcdef".repeat(SIZE / 16);
const OCTETS: Bytes = new Uint8Array(SIZE).fill(200);

/** A body that is part of a larger buffer, like data that was read from a socket. */
const PART = new Uint8Array(8 * SIZE).fill(201).subarray(5, 5 + SIZE);

const BODIES = [
  { name: "text", body: TEXT, kept: "string" },
  { name: "octets", body: OCTETS, kept: "object" },
  { name: "a part of a larger buffer", body: PART, kept: "object" },
] as const;

for (const { name, body, kept } of BODIES) {
  Deno.test(`the cache stores a body of ${name} once, and counts it once`, async () => {
    const test = new TestCache(() => ok(body, { "cache-control": "max-age=60" }));
    await test.read();
    assert.ok(test.cache.byteLength >= SIZE);
    assert.ok(test.cache.byteLength < SIZE + 2_500, `${test.cache.byteLength} bytes`);
    const hit = await test.ask();
    assert.equal(hit.result, "HIT");
    assert.equal(hit.bytes, SIZE);
    assert.equal(typeof hit.body, kept);
    if (hit.body instanceof Uint8Array) assert.equal(hit.body.buffer.byteLength, SIZE);
  });
}

Deno.test("a cache stores each of 10,000 pages of 13 KB only once", async () => {
  const PAGES = 10_000;
  const test = new TestCache(() => ok(TEXT, { "cache-control": "max-age=60" }), {
    capacityBytes: 256 * 1024 * 1024,
  });
  for (let page = 0; page < PAGES; page++) await test.read({ url: `/page/${page}` });
  assert.equal(test.cache.size, PAGES);
  const perPage = test.cache.byteLength / PAGES;
  assert.ok(perPage >= SIZE && perPage < SIZE + 2_500, `${perPage} bytes per page`);
});

Deno.test("the cache serves parts of a body stored as text", async () => {
  const test = new TestCache(() => ok(TEXT, { "cache-control": "max-age=60" }));
  await test.read();
  const part = await test.read({ headers: { range: "bytes=10-17" } });
  assert.deepEqual([part.status, part.text], [206, "abcdef01"]);
  assert.equal(part.header("content-range"), `bytes 10-17/${SIZE}`);
  const parts = await readAnswer(await test.ask({ headers: { range: "bytes=0-1,16-18" } }));
  assert.match(parts.text, /\r\n01\r\n[^]*\r\n012\r\n/);
  const length = (await test.read({ method: "HEAD" })).header("content-length");
  assert.equal(length, String(SIZE));
});

Deno.test("the cache stores text as bytes beyond its share of V8's heap", async () => {
  const test = new TestCache(() => ok(TEXT, { "cache-control": "max-age=60" }), {
    textBytes: 3 * SIZE,
  });
  const kinds: string[] = [];
  for (const url of ["/1", "/2", "/3", "/4"]) {
    await test.read({ url });
    kinds.push(typeof (await test.ask({ url })).body);
    assert.equal((await test.read({ url })).text, TEXT);
  }
  assert.deepEqual(kinds, ["string", "string", "string", "object"]);
  test.cache.purge("dep", { type: "path", path: "/1" });
  await test.read({ url: "/5" });
  assert.equal(typeof (await test.ask({ url: "/5" })).body, "string");
});

Deno.test("a cache without memory serves everything and stores nothing", async () => {
  const test = new TestCache(() => ok(TEXT, { "cache-control": "max-age=60" }), {
    capacityBytes: 0,
  });
  for (const body of [TEXT, new Blob([TEXT]).stream(), TEXT]) {
    test.respond = () => ok(body, { "cache-control": "max-age=60" });
    assert.deepEqual([(await test.read()).text, test.cache.size], [TEXT, 0]);
  }
  assert.deepEqual([test.seen.length, test.cache.byteLength], [3, 0]);
});

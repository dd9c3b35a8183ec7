/** A cache whose bodies lie in memory that other threads read, and their caches of copies. */
import assert from "node:assert/strict";
import { borrowBodies, shareBodies, sharePool } from "../bodies/mod.ts";
import { FactsRequest } from "./facts_request.ts";
import { createHttpCache } from "./http_cache.ts";
import { cacheRequest, ok, readAnswer, RULE, TestCache } from "./_test_origin.ts";
import { cacheKey } from "./cache_key.ts";

const MIB = 1024 * 1024;
const SIZE = 13 * 1024;
const TEXT = "0123456789abcdef".repeat(SIZE / 16);
const FRESH = { "cache-control": "max-age=60" };

/** A cache of a pool, and one of copies that holds bodies of `heldBytes` itself. */
function caches(
  { bytes = MIB, copiesBytes = MIB, heldBytes = 0, respond = () => ok(TEXT, FRESH) }: {
    readonly bytes?: number;
    readonly copiesBytes?: number;
    readonly heldBytes?: number;
    readonly respond?: TestCache["respond"];
  } = {},
) {
  const pool = sharePool(bytes);
  const test = new TestCache(respond, { capacityBytes: bytes, bodies: shareBodies(pool) });
  const copies = createHttpCache({
    ...{ now: () => test.now, capacityBytes: copiesBytes, isOfCopies: true },
    bodies: borrowBodies(pool, heldBytes),
  });
  const copy = (url: string) =>
    test.ask({ url }, {}, (found) => copies.adopt(structuredClone(found)));
  const askCopies = async (url: string) => {
    const request = cacheRequest({ url });
    assert.ok(request instanceof FactsRequest);
    const found = copies.fresh(cacheKey(request, RULE), request, { common: [] });
    return found && await readAnswer(found);
  };
  return { test, copies, copy, askCopies };
}

Deno.test("10,000 pages of 13 KB are in memory once, and copies take little beside", async () => {
  const PAGES = 10_000;
  const { test, copies, copy, askCopies } = caches({ bytes: 256 * MIB, copiesBytes: 64 * MIB });
  for (let page = 0; page < PAGES; page++) {
    await test.read({ url: `/page/${page}` });
    await copy(`/page/${page}`);
  }
  assert.deepEqual([test.cache.size, copies.size], [PAGES, PAGES]);
  const [own, copied] = [test.cache.byteLength / PAGES, copies.byteLength / PAGES];
  assert.ok(own >= SIZE && own < SIZE + 5_000, `${own} bytes for each`);
  assert.ok(copied < 3_000, `${copied} bytes for each copy`);
  for (const page of [0, 5_000, 9_999]) {
    assert.equal((await askCopies(`/page/${page}`))?.text, TEXT);
  }
});

Deno.test("copies keep to their own bound", async () => {
  const { copies, copy, test } = caches({ bytes: 16 * MIB, copiesBytes: 64 * 1024 });
  for (let page = 0; page < 500; page++) {
    await test.read({ url: `/page/${page}` });
    await copy(`/page/${page}`);
  }
  assert.ok(copies.size > 10 && copies.size < 500, `${copies.size} copies`);
  assert.ok(copies.byteLength <= 64 * 1024);
});

Deno.test("a cache fills its pool again and again, and each page is its own", async () => {
  let number = 0;
  const { test, copy, askCopies } = caches({
    bytes: 10 * SIZE,
    respond: () => ok(`${number} ${TEXT}`.slice(0, SIZE - number % 7_000), FRESH),
  });
  for (; number < 300; number++) {
    const url = `/page/${number}`;
    const expected = (await test.read({ url })).text;
    await copy(url);
    assert.equal((await test.read({ url })).text, expected);
    assert.equal((await askCopies(url))?.text, expected);
    for (const older of [number - 2, number - 20]) {
      const found = await askCopies(`/page/${older}`);
      assert.ok(
        found === undefined || found.text.startsWith(`${older} `),
        `page ${number}`,
      );
    }
  }
  assert.equal(await askCopies("/page/0"), undefined);
});

Deno.test("a copy whose body has gone is forgotten, unless it is held", async () => {
  for (const heldBytes of [0, MIB]) {
    const { test, copies, copy, askCopies } = caches({ heldBytes });
    await test.read();
    await copy("/page");
    assert.equal((await askCopies("/page"))?.text, TEXT);
    test.cache.clear();
    assert.equal((await askCopies("/page"))?.text, heldBytes === 0 ? undefined : TEXT);
    assert.equal(copies.size, heldBytes === 0 ? 0 : 1);
  }
});

/** Memory for one page. */
const ONE_PAGE = 24 * 1024;

Deno.test("a response that is evicted while it is revalidated is fetched whole", async () => {
  const { test } = caches({
    bytes: ONE_PAGE,
    respond: async ({ headers }, count) => {
      if (headers["if-none-match"] === undefined) {
        return ok(`${count} ${TEXT}`, { ...FRESH, etag: `"${count}"` });
      }
      await test.read({ url: "/other" });
      return { status: 304, headers: [["etag", '"1"']], body: null };
    },
  });
  await test.read();
  test.now += 61_000;
  const numberOf = async () => {
    const { status, text } = await test.read();
    return [status, text.slice(0, 2), text.length];
  };
  assert.deepEqual(await numberOf(), [200, "4 ", SIZE + 2]);
  assert.deepEqual(await numberOf(), [200, "4 ", SIZE + 2]);
  assert.equal(test.seen.length, 4);
});

Deno.test("a response that is evicted is not served in place of an error", async () => {
  const { test } = caches({
    bytes: ONE_PAGE,
    respond: async (_, count) => {
      if (count === 1) return ok(TEXT, { "cache-control": "max-age=60, stale-if-error=3600" });
      if (count === 4) return ok(TEXT, FRESH);
      if (count === 3) await test.read({ url: "/other" });
      return { status: 503, headers: [], body: null };
    },
  });
  await test.read();
  test.now += 61_000;
  const stale = await test.read();
  assert.deepEqual([stale.status, stale.result, stale.text], [200, "STALE", TEXT]);
  assert.equal((await test.read()).status, 503);
});

Deno.test("a cache of a pool serves parts, bytes and empty bodies", async () => {
  const octets = new Uint8Array(100_000).map((_, at) => at % 251);
  const bodies = { "/octets": octets, "/empty": "", "/text": TEXT } as const;
  const asked: (keyof typeof bodies)[] = ["/octets", "/empty", "/text"];
  let url = asked[0]!;
  const { test } = caches({ respond: () => ok(bodies[url], FRESH) });
  for (url of asked) {
    await test.read({ url });
    const hit = await test.ask({ url });
    const bytes = new Uint8Array(await new Response(hit.body).arrayBuffer());
    assert.deepEqual(bytes, new Uint8Array(await new Response(bodies[url]).arrayBuffer()));
    assert.deepEqual([hit.result, hit.bytes], ["HIT", bytes.byteLength]);
  }
  const part = await test.read({ url: "/text", headers: { range: "bytes=10-17" } });
  assert.deepEqual([part.status, part.text], [206, "abcdef01"]);
});

import assert from "node:assert/strict";
import { ok, readAnswer, testBody, TestCache } from "./_test_origin.ts";
import { DEFAULT_MAX_ENTRY_BYTES } from "./http_cache_options.ts";
import type { OriginResponse } from "../messages/messages.ts";

const FRESH = { "cache-control": "max-age=60" };

/**
 * Returns an origin whose first response is sent by the test. The origin sends the other responses
 * immediately.
 */
function held(rest: () => OriginResponse) {
  const first = Promise.withResolvers<OriginResponse>();
  const test = new TestCache((_, count) => count === 1 ? first.promise : rest());
  return { test, first };
}

/** Waits until all callbacks of settled promises have run. */
async function settle(): Promise<void> {
  for (let context = 0; context < 50; context++) await Promise.resolve();
}

Deno.test("handle() sends one request to the origin for many concurrent requests", async () => {
  const { test, first } = held(() => ok("again", FRESH));
  const asked = Array.from({ length: 100 }, () => test.ask());
  await settle();
  first.resolve(ok("one", FRESH));
  const answers = await Promise.all((await Promise.all(asked)).map(readAnswer));
  assert.equal(test.seen.length, 1);
  assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(["one"]));
  assert.equal(answers.filter(({ result }) => result === "MISS").length, 1);
  assert.match(answers[1]!.header("cache-status") ?? "", /fwd=uri-miss.*; collapsed$/);
});

Deno.test("handle() never shares a response that turns out to be private", async () => {
  let count = 0;
  const { test, first } = held(() => ok(`mine ${++count}`, { "cache-control": "private" }));
  const asked = Array.from({ length: 10 }, () => test.ask());
  await settle();
  first.resolve(ok("mine 0", { "cache-control": "private" }));
  const texts = (await Promise.all((await Promise.all(asked)).map(readAnswer))).map(({ text }) =>
    text
  );
  assert.equal(new Set(texts).size, 10);
  assert.equal(test.seen.length, 10);
});

Deno.test("handle() makes no client wait if the last response could not be shared", async () => {
  const { test, first } = held(() => ok("own", { "cache-control": "no-store" }));
  first.resolve(ok("own", { "cache-control": "no-store" }));
  await test.read();
  const never = Promise.withResolvers<OriginResponse>();
  test.respond = (_, count) => count === 2 ? never.promise : ok("own", FRESH);
  void test.ask();
  assert.equal((await test.read()).text, "own");
});

Deno.test("handle() gives waiting clients only responses that Vary allows", async () => {
  const { test, first } = held(() => ok("en", { ...FRESH, vary: "accept-language" }));
  const german = [1, 2].map(() => test.ask({ headers: { "accept-language": "de" } }));
  const english = test.ask({ headers: { "accept-language": "en" } });
  await settle();
  first.resolve(ok("de", { ...FRESH, vary: "accept-language" }));
  assert.equal((await readAnswer(await german[1]!)).text, "de");
  assert.equal((await readAnswer(await english)).text, "en");
  assert.equal(test.seen.length, 2);
});

Deno.test("handle() does not treat a stale response as the awaited one", async () => {
  const headers = { ...FRESH, vary: "accept-language" };
  const test = new TestCache(({ headers: sent }) => ok(`old ${sent["accept-language"]}`, headers));
  const languages = ["de", "en"].map((language) => ({ headers: { "accept-language": language } }));
  for (const asked of languages) await test.read(asked);
  test.now += 100_000;
  test.respond = ({ headers: sent }) => ok(`new ${sent["accept-language"]}`, headers);
  const answers = await Promise.all(languages.map((asked) => test.ask(asked)));
  const texts = (await Promise.all(answers.map(readAnswer))).map(({ text }) => text);
  assert.deepEqual(texts, ["new de", "new en"]);
});

Deno.test("handle() never collapses requests with Authorization", async () => {
  const { test, first } = held(() => ok("b", { "cache-control": "public, max-age=60" }));
  const a = test.ask({ headers: { authorization: "A" } });
  const b = await test.read({ headers: { authorization: "B" } });
  assert.equal(b.text, "b");
  first.resolve(ok("a", { "cache-control": "no-store" }));
  assert.equal((await readAnswer(await a)).text, "a");
});

Deno.test("handle() releases waiting clients if the shared response takes too long", async () => {
  const { test, first } = held(() => ok("two", FRESH));
  const slow = test.ask();
  await settle();
  const other = test.ask();
  await settle();
  test.timeouts[0]!();
  assert.equal((await readAnswer(await other)).text, "two");
  first.resolve(ok("one", FRESH));
  assert.equal((await readAnswer(await slow)).text, "one");
});

Deno.test("handle() fails all waiting requests when the origin cannot be reached, and tries again next time", async () => {
  const { test, first } = held(() => ok("back", FRESH));
  const asked = [test.ask(), test.ask()];
  await settle();
  first.reject(new Error("Cannot connect"));
  for (const answer of asked) await assert.rejects(answer, /Cannot connect/);
  assert.equal(test.seen.length, 1);
  assert.equal((await test.read()).text, "back");
});

Deno.test("handle() validates once for all clients, and serves them a stale response on failure", async () => {
  const headers = { "cache-control": "max-age=60, stale-if-error=600", etag: '"a"' };
  const test = new TestCache(() => ok("one", headers));
  await test.read();
  test.now += 100_000;
  const failing = Promise.withResolvers<OriginResponse>();
  test.respond = () => failing.promise;
  const asked = [test.ask(), test.ask(), test.ask()];
  await settle();
  failing.resolve(ok("broken", {}, 502));
  assert.deepEqual((await Promise.all(asked)).map(({ result }) => result), [
    "STALE",
    "STALE",
    "STALE",
  ]);
  assert.equal(test.seen.length, 2);
  test.respond = () => ok(null, {}, 304);
  const validated = await Promise.all([test.ask(), test.ask()]);
  assert.deepEqual(validated.map(({ result }) => result), ["HIT", "HIT"]);
  assert.equal(test.seen.length, 3);
});

Deno.test("purge() discards responses that were requested before it", async () => {
  const { test, first } = held(() => ok("new", FRESH));
  const early = test.ask();
  await settle();
  test.cache.purge("dep", { type: "all" });
  first.resolve(ok("old", FRESH));
  assert.equal((await readAnswer(await early)).text, "old");
  assert.equal(test.cache.size, 0);
});

Deno.test("handle() stores a streamed response, even if the client disconnects", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, FRESH));
  const answer = await test.ask();
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  body.write("ab");
  assert.equal(new TextDecoder().decode((await reader.read()).value), "ab");
  assert.equal(test.cache.size, 0);
  await reader.cancel();
  body.write("cd");
  body.close();
  await Promise.all(test.work);
  assert.equal((await test.read()).text, "abcd");
  assert.equal(test.seen.length, 1);
});

Deno.test("handle() cancels a body that does not end after its client disconnects", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, FRESH));
  const answer = await test.ask();
  body.write("ab");
  await settle();
  await (answer.body as ReadableStream).cancel();
  test.timeouts.at(-1)!();
  await Promise.all(test.work);
  assert.deepEqual([body.cancelled, test.cache.size, test.cache.byteLength], [true, 0, 0]);
});

Deno.test("handle() never stores a body that is cut off", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, FRESH));
  const answer = await test.ask();
  body.write("ab");
  body.fail(new Error("Connection reset"));
  await assert.rejects(readAnswer(answer), /Connection reset/);
  await Promise.all(test.work);
  assert.deepEqual([test.cache.size, test.cache.byteLength], [0, 0]);
});

Deno.test("handle() never stores a body that is shorter than Content-Length says", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, { ...FRESH, "content-length": "5" }));
  const answer = await test.ask();
  body.write("ab");
  body.close();
  await assert.rejects(readAnswer(answer), /it has 2 bytes instead of 5/);
  await Promise.all(test.work);
  assert.equal(test.cache.size, 0);
});

Deno.test("handle() passes on responses that are too long, without storing them", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, FRESH), { maxEntryBytes: 4 });
  const answer = await test.ask();
  for (const text of ["ab", "cd", "ef", "gh"]) body.write(text);
  body.close();
  assert.equal((await readAnswer(answer)).text, "abcdefgh");
  await Promise.all(test.work);
  assert.deepEqual([test.cache.size, test.cache.byteLength], [0, 0]);
});

Deno.test("an option without a value has its default", async () => {
  const long = "x".repeat(DEFAULT_MAX_ENTRY_BYTES + 1);
  const test = new TestCache(() => ok(long, FRESH), {
    capacityBytes: undefined,
    maxEntryBytes: undefined,
  });
  assert.equal((await readAnswer(await test.ask())).text.length, long.length);
  await Promise.all(test.work);
  assert.deepEqual([test.cache.size, test.cache.byteLength], [0, 0]);
});

Deno.test("handle() cancels a body that is too long when no client reads it", async () => {
  const left = testBody();
  const head = testBody();
  const test = new TestCache((_, count) => ok(count === 1 ? left.stream : head.stream, FRESH), {
    maxEntryBytes: 4,
  });
  const answer = await test.ask();
  left.write("abcdef");
  await settle();
  await (answer.body as ReadableStream).cancel();
  await test.ask({ url: "/other", method: "HEAD" });
  head.write("abcdef");
  await Promise.all(test.work);
  await settle();
  assert.deepEqual([left.cancelled, head.cancelled, test.cache.byteLength], [true, true, 0]);
});

Deno.test("handle() does not buffer a body whose declared length is too large", async () => {
  const body = testBody();
  const test = new TestCache(() => ok(body.stream, { ...FRESH, "content-length": "6" }), {
    maxEntryBytes: 4,
  });
  const answer = await test.ask();
  body.write("abcdef");
  body.close();
  const read = await readAnswer(answer);
  assert.equal(read.text, "abcdef");
  assert.match(read.header("cache-status") ?? "", /detail=too-large$/);
});

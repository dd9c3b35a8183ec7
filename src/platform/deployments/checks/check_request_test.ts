import assert from "node:assert/strict";
import type { CheckRequest } from "../../../lib/release_checks.ts";
import { judgeResponse, runCheckRequest } from "./check_request.ts";

const check = (expect: CheckRequest["expect"]): CheckRequest => ({
  name: "Start page",
  url: "/?a=1",
  expect,
});

const page = (status = 200, headers: Record<string, string> = {}) =>
  new Response(status === 304 ? null : "Welcome to the shop", { status, headers });

/** Expectations, each with a response and its problems. */
const RESPONSES: readonly (readonly [CheckRequest["expect"], Response, readonly string[]])[] = [
  [{}, page(200), []],
  [{}, page(304), []],
  [{}, page(404), ["Expected status 200 to 399, received 404"]],
  [{ status: 404 }, page(404), []],
  [{ status: 200 }, page(204 + 2), ["Expected status 200, received 206"]],
  [{ body: "to the" }, page(), []],
  [{ body: "goodbye" }, page(), ['Expected "goodbye" in the body']],
  [{ status: 301, location: "/new" }, page(301, { location: "/new" }), []],
  [{ status: 301, location: "/new" }, page(301), ['Expected location "/new", received none']],
  [{ headers: { "X-One": "1" } }, page(200, { "x-one": "1" }), []],
  [
    { headers: { "x-one": "1" }, removedHeaders: ["x-two"] },
    page(200, { "x-one": "2", "x-two": "2" }),
    ['Expected x-one: "1", received "2"', 'Expected no x-two, received "2"'],
  ],
];

for (const [expect, response, problems] of RESPONSES) {
  Deno.test(`judgeResponse() checks ${response.status} for ${JSON.stringify(expect)}`, async () => {
    assert.deepEqual(await judgeResponse(check(expect), response), problems);
  });
}

const options = (ask: (request: Request) => Promise<Response>, signal?: AbortSignal) => ({
  place: { url: "http://shop-1.localhost", bypass: "let me in" },
  ask,
  timeoutMs: 50,
  retries: 2,
  signal: signal ?? new AbortController().signal,
  now: () => 0,
  pause: () => Promise.resolve(),
});

Deno.test("runCheckRequest() retries failing checks, and sends the token each time", async () => {
  const seen: (string | null)[] = [];
  const result = await runCheckRequest(
    check({}),
    options((request) => {
      seen.push(request.headers.get("x-svc-bypass"));
      assert.equal(request.url, "http://shop-1.localhost/?a=1");
      return Promise.resolve(page(seen.length < 3 ? 503 : 200));
    }),
  );
  assert.deepEqual(seen, ["let me in", "let me in", "let me in"]);
  assert.deepEqual([result.passed, result.attempts, result.problem], [true, 3, null]);
});

Deno.test("runCheckRequest() gives up if responses are missing or keep failing", async () => {
  const never = await runCheckRequest(check({}), options(() => new Promise(() => {})));
  assert.deepEqual([never.passed, never.attempts], [false, 3]);
  assert.equal(never.problem, "No response within 0.05 seconds");
  const broken = await runCheckRequest(
    check({}),
    options(() => Promise.reject(new Error("refused"))),
  );
  assert.equal(broken.problem, "The request failed: refused");
});

Deno.test("runCheckRequest() stops when the time limit for all checks is reached", async () => {
  const over = AbortSignal.abort();
  const result = await runCheckRequest(check({}), options(() => new Promise(() => {}), over));
  assert.deepEqual([result.passed, result.attempts], [false, 1]);
  assert.equal(result.problem, "The time limit for all checks was reached");
});

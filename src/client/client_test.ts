import assert from "node:assert/strict";
import fc from "fast-check";
import { endpoints } from "../contract/endpoints.ts";
import { untilAborted } from "../lib/_test_until_aborted.ts";
import { buildPath, createClient } from "./client.ts";
import { ApiError, ContractError, NoAnswerError, UnreachableError } from "./errors.ts";

const BASE = "http://platform.test";
const FAST = { retries: 3, firstPause: 0, longestPause: 5 };
const HEALTH = {
  status: "ok",
  version: "1.0.0",
  knowsCountries: true,
  knowsNetworks: false,
  nodes: 1,
  servers: {
    sandbox: "enforced",
    missing: [],
    node: { sandbox: "namespaces", reason: null, advice: null },
    running: 0,
    max: 4,
  },
  functions: { running: 0, max: 4 },
};

type Answer = Response | Error;

/** Returns a platform that returns prepared responses in order, and records requests. */
function platformOf(answers: Answer[]) {
  const requests: Request[] = [];
  const answer: typeof fetch = (input, init) => {
    requests.push(new Request(input, init));
    const next = answers.shift();
    if (next === undefined) throw new RangeError("More requests than expected");
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  return { requests, fetch: answer };
}

function clientOf(answers: Answer[], options = {}) {
  const platform = platformOf(answers);
  const client = createClient({
    baseUrl: `${BASE}/`,
    token: "key",
    fetch: platform.fetch,
    retries: FAST,
    ...options,
  });
  return { client, requests: platform.requests };
}

const failure = (status: number, headers: HeadersInit = {}) =>
  Response.json(
    { error: "No", code: "internal", requestId: "r1", problems: [{ path: "a", message: "bad" }] },
    { status, headers },
  );

Deno.test("buildPath() encodes parameters, so no value can add a segment or query", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
    const path = buildPath("/v1/projects/{project}/logs", { params: { project: value } });
    const parts = path.split("/");
    assert.equal(parts.length, 5);
    assert.equal(decodeURIComponent(parts[3]!), value);
    assert.ok(!path.includes("?"));
  }));
});

Deno.test("buildPath() omits query members that are not set", () => {
  const query = { limit: 5, cursor: undefined, search: "a b&c" };
  assert.equal(buildPath("/v1/x", { query }), "/v1/x?limit=5&search=a+b%26c");
});

Deno.test("buildPath() refuses a missing parameter", () => {
  assert.throws(() => buildPath("/v1/{id}", {}), TypeError);
});

Deno.test("call() sends key and workspace and returns the validated response", async () => {
  const { client, requests } = clientOf([Response.json(HEALTH)], { workspace: "acme" });
  assert.deepEqual(await client.call(endpoints.getHealth, {}), HEALTH);
  const [request] = requests;
  assert.equal(request!.url, `${BASE}/v1/health`);
  assert.equal(request!.headers.get("authorization"), "Bearer key");
  assert.equal(request!.headers.get("x-workspace"), "acme");
});

Deno.test("call() refuses a response that does not follow the contract", async () => {
  const { client } = clientOf([Response.json({ status: "odd" })]);
  await assert.rejects(client.call(endpoints.getHealth, {}), ContractError);
});

Deno.test("call() reports the platform's error with all its details", async () => {
  const { client } = clientOf([failure(409)]);
  await assert.rejects(client.call(endpoints.getHealth, {}), (error) => {
    assert.ok(error instanceof ApiError);
    const { status, code, message, requestId, problems } = error;
    assert.deepEqual({ status, code, message, requestId, problems }, {
      status: 409,
      code: "internal",
      message: "No",
      requestId: "r1",
      problems: [{ path: "a", message: "bad" }],
    });
    return true;
  });
});

Deno.test("call() handles an error page that is not JSON", async () => {
  const { client } = clientOf([new Response("<h1>Bad", { status: 400 })]);
  await assert.rejects(client.call(endpoints.getHealth, {}), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(
      error.message,
      "The response of http://platform.test/v1/health is not from svc: status 400",
    );
    assert.equal(error.code, undefined);
    return true;
  });
});

const passing: [name: string, answer: () => Answer][] = [
  ["a lost connection", () => new TypeError("connection reset")],
  ["429", () => failure(429, { "retry-after": "0" })],
  ["502", () => failure(502)],
  ["503", () => failure(503)],
  ["504", () => failure(504)],
];

for (const [name, answer] of passing) {
  Deno.test(`call() retries a GET after ${name}`, async () => {
    const { client, requests } = clientOf([answer(), answer(), Response.json(HEALTH)]);
    assert.deepEqual(await client.call(endpoints.getHealth, {}), HEALTH);
    assert.equal(requests.length, 3);
  });
}

Deno.test("call() does not retry a POST that may have succeeded", async () => {
  const { client, requests } = clientOf([failure(503)]);
  const call = client.call(endpoints.createProject, { body: { name: "blog" } });
  await assert.rejects(call, ApiError);
  assert.equal(requests.length, 1);
});

Deno.test("call() sends a new key with each request that must run only once", async () => {
  let made = 0;
  const answers = [failure(409), failure(409), Response.json(HEALTH)];
  const { client, requests } = clientOf(answers, { newIdempotencyKey: () => `key-${made++}` });
  for (const name of ["one", "two"]) {
    await assert.rejects(client.call(endpoints.createProject, { body: { name } }), ApiError);
  }
  await client.call(endpoints.getHealth, {});
  const keys = requests.map(({ headers }) => headers.get("idempotency-key"));
  assert.deepEqual(keys, ["key-0", "key-1", null]);
});

Deno.test("call() does not retry a permanent error", async () => {
  for (const status of [400, 401, 403, 404, 409, 500]) {
    const { client, requests } = clientOf([failure(status)]);
    await assert.rejects(client.call(endpoints.getHealth, {}), ApiError);
    assert.equal(requests.length, 1, `status ${status}`);
  }
});

Deno.test("call() does not wait for a Retry-After longer than its limit", async () => {
  const { client, requests } = clientOf([failure(429, { "retry-after": "3600" })]);
  await assert.rejects(client.call(endpoints.getHealth, {}), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.retryAfter, 3_600_000);
    return true;
  });
  assert.equal(requests.length, 1);
});

Deno.test("call() reports which platform cannot be reached when all attempts failed", async () => {
  const lost = () => new TypeError("connection refused");
  const { client, requests } = clientOf([lost(), lost(), lost(), lost()]);
  await assert.rejects(client.call(endpoints.getHealth, {}), (error) => {
    assert.ok(error instanceof UnreachableError);
    assert.equal(error.message, `Cannot reach the platform at ${BASE}`);
    return true;
  });
  assert.equal(requests.length, 4);
});

Deno.test("call() stops immediately when its signal is aborted", async () => {
  const stop = new AbortController();
  const { client, requests } = clientOf([new TypeError("reset"), Response.json(HEALTH)], {
    signal: stop.signal,
    retries: { retries: 3, firstPause: 60_000, longestPause: 60_000 },
    onExchange: () => {},
  });
  const call = client.call(endpoints.getHealth, {});
  const reason = new DOMException("Interrupted", "AbortError");
  queueMicrotask(() => stop.abort(reason));
  await assert.rejects(call, reason);
  assert.equal(requests.length, 1);
});

Deno.test("call() gives up on a platform that never responds, and does not retry", async () => {
  let asked = 0;
  const waited: number[] = [];
  const client = createClient({
    baseUrl: BASE,
    fetch: (_, init) => {
      asked++;
      return untilAborted(init!.signal!);
    },
    waits: { read: 100, change: 100, notice: 40 },
    onWaiting: (milliseconds) => waited.push(milliseconds),
  });
  await assert.rejects(client.call(endpoints.getHealth, {}), (error) => {
    assert.ok(error instanceof NoAnswerError);
    assert.equal(error.message, `No response from the platform at ${BASE} within 0.1 s`);
    return true;
  });
  assert.equal(asked, 1);
  assert.equal(waited[0], 40);
});

Deno.test("call() refuses parameters that would lead to another path", async () => {
  for (const project of ["..", ".", "", "a/b", "Blog"]) {
    const { client, requests } = clientOf([]);
    const call = client.call(endpoints.getProject, { params: { project } });
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, "invalid_request");
      const message =
        "Must be an ID, or a name of at most 40 lowercase letters, digits and hyphens, with no hyphen at either end";
      assert.deepEqual(error.problems, [{ path: "path.project", message }]);
      return true;
    });
    assert.equal(requests.length, 0);
  }
});

Deno.test("send() returns the ETag and sends If-Match", async () => {
  const rules = {
    origin: null,
    revisionId: null,
    deploymentId: null,
    ruleSet: null,
    publishedAt: null,
  };
  const { client, requests } = clientOf([Response.json(rules, { headers: { etag: '"7"' } })]);
  const answer = await client.send(endpoints.putRules, {
    params: { project: "blog" },
    body: {},
    ifMatch: '"6"',
  });
  assert.equal(answer.etag, '"7"');
  assert.equal(requests[0]!.headers.get("if-match"), '"6"');
});

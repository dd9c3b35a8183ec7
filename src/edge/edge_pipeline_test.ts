/**
 * Tests pipelines of functions through the whole edge: order, results and failures, and which
 * pipeline runs.
 */
import assert from "node:assert/strict";
import type { PipelineStep, Rule } from "../rules/mod.ts";
import type { FailureReason } from "../runtime/mod.ts";
import {
  cached,
  dynamicEdge,
  type DynamicWorld,
  fails,
  type TestFunction,
  toUpstream,
} from "./_test_dynamic.ts";

const pipeline = (steps: readonly PipelineStep[], more: object = {}): Rule => ({
  id: "pipeline",
  action: { type: "pipeline", steps: [...steps], ...more } as Rule["action"],
});

/** A pipeline with each kind of step: gate, rewriting step, handle, response step, observer. */
const STEPS: readonly PipelineStep[] = [
  { use: "gate", mode: "request", failure: "closed" },
  { use: "move", mode: "request" },
  { handle: "origin" },
  { use: "stamp", mode: "response" },
  { use: "audit", mode: "observe" },
];

const stamp: TestFunction = async (_request, { response }) => {
  const marked = new Response(`${await response!.text()}, stamped`, response);
  marked.headers.set("x-stamp", "1");
  marked.headers.delete("content-length");
  return marked;
};

function full(more: Partial<DynamicWorld> = {}, replaced: Record<string, TestFunction> = {}) {
  const seen: string[] = [];
  const functions: Record<string, TestFunction> = {
    gate: ({ headers }) =>
      headers.get("authorization") === null ? new Response("Log in", { status: 401 }) : undefined,
    move: (request) => new Request(request.url.replace("/old", "/new"), request),
    stamp,
    audit: ({ url }, { response }) =>
      void seen.push(`${new URL(url).pathname} ${response?.status}`),
    ...replaced,
  };
  const edge = dynamicEdge({
    files: { "new.html": "new page", "index.html": "home" },
    rules: [pipeline(STEPS)],
    functions,
    ...more,
  });
  const ask = async (path: string, headers: HeadersInit = { authorization: "x" }) => {
    const answer = await edge.fetch(path, { headers });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  return { edge, ask, seen };
}

const proxied: Partial<DynamicWorld> = {
  rules: [toUpstream, pipeline(STEPS)],
  upstream: ({ url }) => new Response(`up ${new URL(url).pathname}`),
};

Deno.test("a whole pipeline runs in front of a static site", async () => {
  const { ask, seen } = full();
  const answer = await ask("/old");
  assert.deepEqual([answer.status, answer.text], [200, "new page, stamped"]);
  assert.equal(answer.headers.get("x-stamp"), "1");
  assert.equal(answer.headers.get("content-length"), null);
  assert.deepEqual(seen, ["/new 200"]);
});

Deno.test("a whole pipeline runs in front of a proxied server, which gets a changed path", async () => {
  const { ask, edge, seen } = full(proxied);
  const answer = await ask("/old?x=1");
  assert.equal(answer.text, "up /new, stamped");
  assert.equal(edge.asked[0]?.url, "https://upstream.test/new?x=1");
  assert.deepEqual(seen, ["/new 200"]);
});

Deno.test("a path that a step moves outside the rewrite's pattern goes to the site's own routes", async () => {
  const { ask, edge } = full({
    ...proxied,
    rules: [
      {
        id: "proxy",
        condition: { path: { type: "prefix", value: "/old" } },
        action: { type: "rewrite", target: "https://upstream.test/x", external: true },
      },
      pipeline(STEPS),
    ],
  });
  assert.equal((await ask("/old")).text, "new page, stamped");
  assert.equal(edge.asked.length, 0);
});

for (const [kind, more] of [["static", {}], ["proxied", proxied]] as const) {
  Deno.test(`a closed gate ends the request before anything else runs (${kind})`, async () => {
    const { ask, edge, seen } = full(more);
    const answer = await ask("/old", {});
    assert.deepEqual([answer.status, answer.text], [401, "Log in"]);
    assert.equal(answer.headers.get("x-stamp"), null);
    assert.equal(edge.asked.length, 0);
    assert.deepEqual(seen, ["/old 401"], "observers see the gate's response");
  });
}

const REASONS: readonly FailureReason[] = [
  "threw",
  "timeout",
  "crashed",
  "memory",
  "overloaded",
  "invalid_result",
  "not_found",
  "aborted",
];
const PLACES: readonly (readonly [name: string, mode: "request" | "response", position: string])[] =
  [
    ["a request step", "request", "before"],
    ["a request step after the cache", "request", "after"],
    ["a response step", "response", "before"],
    ["a response step after the cache", "response", "after"],
  ];

function stepWorld(reason: FailureReason, step: PipelineStep, over: "static" | "proxied") {
  const steps: PipelineStep[] = "mode" in step && step.mode === "request"
    ? [step, { handle: "origin" }]
    : [{ handle: "origin" }, step];
  return dynamicEdge({
    rules: over === "static" ? [pipeline(steps)] : [toUpstream, cached(), pipeline(steps)],
    functions: { bad: fails(reason) },
    upstream: () => new Response("home"),
  });
}

for (const over of ["static", "proxied"] as const) {
  for (const [name, mode, cachePosition] of PLACES) {
    const step = { use: "bad", mode, cachePosition } as Extract<PipelineStep, { use: string }>;
    Deno.test(`${name} that fails open is skipped on every failure (${over})`, async () => {
      for (const reason of REASONS) {
        const edge = stepWorld(reason, { ...step, failure: "open" }, over);
        const answer = await edge.fetch("/");
        assert.deepEqual([answer.status, await answer.text()], [200, "home"], reason);
      }
    });
    Deno.test(`${name} that fails closed ends the request on every failure (${over})`, async () => {
      for (const reason of REASONS) {
        const edge = stepWorld(reason, { ...step, failure: "closed" }, over);
        const answer = await edge.fetch("/");
        assert.equal(answer.status, reason === "timeout" ? 504 : 503, reason);
        assert.doesNotMatch(await answer.text(), /home|bad|Failing/);
        const shown = reason === "not_found" ? "missing" : reason;
        assert.equal(edge.records[0]?.error, `Function "bad" failed: ${shown}`);
        const again = await edge.fetch("/");
        assert.equal(again.headers.get("x-svc-cache"), null, "a failure is never stored");
      }
    });
  }
}

Deno.test("without `failure`, request steps fail closed and response steps fail open", async () => {
  assert.equal(
    (await stepWorld("threw", { use: "bad", mode: "request" }, "static").fetch("/")).status,
    503,
  );
  assert.equal(
    (await stepWorld("threw", { use: "bad", mode: "response" }, "static").fetch("/")).status,
    200,
  );
});

for (const reason of REASONS) {
  Deno.test(`a failing handle (${reason}) results in an error page; a failing observer changes nothing`, async () => {
    const failing = dynamicEdge({
      rules: [pipeline([{ handle: "bad" }])],
      functions: { bad: fails(reason) },
    });
    assert.equal((await failing.fetch("/")).status, reason === "timeout" ? 504 : 503);
    const watched = dynamicEdge({
      rules: [pipeline([{ handle: "origin" }, { use: "bad", mode: "observe" }])],
      functions: { bad: fails(reason) },
    });
    assert.equal((await watched.fetch("/")).status, 200);
    assert.deepEqual(watched.errors, []);
  });
}

Deno.test("a handle fails if it returns nothing or a Request", async () => {
  for (const handle of [() => undefined, (request: Request) => new Request(request)]) {
    const edge = dynamicEdge({ rules: [pipeline([{ handle: "h" }])], functions: { h: handle } });
    const answer = await edge.fetch("/");
    assert.equal(answer.status, 503);
    assert.equal(edge.records[0]?.error, 'Function "h" failed: invalid_result');
  }
});

Deno.test("an observer does not delay the response", async () => {
  const never = Promise.withResolvers<void>();
  const { ask } = full({}, { audit: () => never.promise });
  assert.equal((await ask("/old")).status, 200);
});

Deno.test("a request's body passes through steps that do not read it, and can be replaced", async () => {
  const edge = (step: TestFunction) =>
    dynamicEdge({
      rules: [
        toUpstream,
        pipeline([{ use: "step", mode: "request" }, { handle: "origin" }]),
      ],
      functions: { step },
      upstream: async ({ body }) => new Response(await new Response(body).text()),
    });
  const post = { method: "POST", body: "short", headers: { "content-length": "5" } };
  const replaced = edge(({ url, headers }) =>
    new Request(url, { method: "POST", headers, body: "a longer body" })
  );
  assert.equal(await (await replaced.fetch("/", post)).text(), "a longer body");
  const asked = new Map(replaced.asked[0]?.headers);
  assert.equal(asked.get("content-length"), undefined, "the old length would cut the new body");
  const passed = edge((request) => new Request(request.url, request));
  assert.equal(await (await passed.fetch("/", post)).text(), "short");
});

Deno.test("a step cannot send a request to another host", async () => {
  const { ask, edge } = full(proxied, {
    move: (request) => new Request("https://elsewhere.test/new", request),
  });
  await ask("/old");
  assert.equal(edge.asked[0]?.url, "https://upstream.test/new");
});

Deno.test("a function gets the client, the deployment and its name in the pipeline", async () => {
  const seen: unknown[] = [];
  const edge = dynamicEdge({
    rules: [pipeline([{ use: "step", mode: "request", as: "first" }, { handle: "origin" }])],
    functions: {
      step: (_request, { requestId, ip, as, deployment }) =>
        void seen.push({ requestId, ip, as, deployment: deployment.id }),
    },
  });
  await edge.fetch("/", { from: "192.0.2.9" });
  const wanted = { requestId: "r1", ip: "192.0.2.9", as: "first", deployment: "deployment-1" };
  assert.deepEqual(seen, [wanted]);
});

const tagged = (id: string, more: Partial<Rule>, action: object = {}): Rule => ({
  ...pipeline([{ handle: "origin" }, { use: id, mode: "response" }], action),
  ...more,
  id,
});

const CHOICES: readonly (readonly [name: string, rules: readonly Rule[], wanted: string])[] = [
  [
    "an exact path takes precedence over a prefix",
    [
      tagged("all", {}),
      tagged("prefix", { condition: { path: { type: "prefix", value: "/a" } } }),
      tagged("exact", { condition: { path: { type: "exact", value: "/a/b" } } }),
    ],
    "exact",
  ],
  [
    "the longest literal prefix takes precedence",
    [
      tagged("short", { condition: { path: { type: "glob", value: "/a/**" } } }),
      tagged("long", { condition: { path: { type: "glob", value: "/a/b*" } } }),
    ],
    "long",
  ],
  ["authored order breaks ties", [tagged("one", {}), tagged("two", {})], "one"],
  [
    "override takes precedence over a more specific rule",
    [
      tagged("exact", { condition: { path: { type: "exact", value: "/a/b" } } }),
      tagged("wide", {}, { override: true }),
    ],
    "wide",
  ],
];
for (const [name, rules, wanted] of CHOICES) {
  Deno.test(`only one pipeline runs: ${name}`, async () => {
    const ran: string[] = [];
    const functions = Object.fromEntries(
      rules.map(({ id }) => [id, (() => void ran.push(id)) as TestFunction]),
    );
    const edge = dynamicEdge({ files: { "a/b.html": "x" }, rules, functions });
    assert.equal((await edge.fetch("/a/b")).status, 200);
    assert.deepEqual(ran, [wanted]);
  });
}

Deno.test("steps before the cache run each time, and steps after it only when it has no response", async () => {
  const runs = new Map<string, number>();
  const count = (name: string): TestFunction => () =>
    void runs.set(name, (runs.get(name) ?? 0) + 1);
  const edge = dynamicEdge({
    rules: [
      cached(),
      pipeline([
        { use: "request-before", mode: "request", cachePosition: "before" },
        { use: "request-default", mode: "request" },
        { use: "request-after", mode: "request", cachePosition: "after" },
        { handle: "answer" },
        { use: "response-after", mode: "response", cachePosition: "after" },
        { use: "response-before", mode: "response", cachePosition: "before" },
        { use: "audit", mode: "observe" },
      ]),
    ],
    functions: {
      ...Object.fromEntries(
        [
          "request-before",
          "request-default",
          "request-after",
          "response-after",
          "response-before",
          "audit",
        ].map((name) => [name, count(name)]),
      ),
      answer: () => {
        runs.set("answer", (runs.get("answer") ?? 0) + 1);
        return new Response("made");
      },
    },
  });
  const states = [];
  for (let index = 0; index < 3; index++) {
    const answer = await edge.fetch("/");
    assert.equal(await answer.text(), "made");
    states.push(answer.headers.get("x-svc-cache"));
  }
  assert.deepEqual(states, ["MISS", "HIT", "HIT"]);
  assert.deepEqual(Object.fromEntries(runs), {
    "request-before": 3,
    "request-default": 3,
    "request-after": 1,
    answer: 1,
    "response-after": 1,
    "response-before": 3,
    audit: 3,
  });
});

Deno.test("a step after the cache sees neither a client's ranges nor its conditions", async () => {
  const seen: (string | null)[] = [];
  const edge = dynamicEdge({
    rules: [cached(), pipeline([{ handle: "answer" }])],
    functions: {
      answer: ({ headers }) => {
        seen.push(headers.get("if-none-match"), headers.get("x-forwarded-host"));
        return new Response("made");
      },
    },
  });
  await edge.fetch("/", { headers: { "if-none-match": '"x"', "x-forwarded-host": "evil.test" } });
  assert.deepEqual(seen, [null, null]);
});

Deno.test("a response that a step builds keeps the edge's own fields", async () => {
  const shout: TestFunction = async (_request, { response, as }) =>
    new Response((await response!.text()).toUpperCase(), {
      status: response!.status,
      headers: { "x-as": String(as), "x-svc-cache": "FORGED" },
    });
  const edge = dynamicEdge({
    rules: [
      toUpstream,
      cached(),
      pipeline([{ handle: "origin" }, {
        use: "shout",
        mode: "response",
        cachePosition: "before",
      }]),
    ],
    functions: { shout },
    upstream: () => new Response("abcdef", { headers: { etag: '"1"' } }),
  });
  const first = await edge.fetch("/");
  assert.deepEqual([await first.text(), first.headers.get("x-svc-cache")], ["ABCDEF", "MISS"]);
  assert.equal(first.headers.get("x-as"), "shout");
  const part = await edge.fetch("/", { headers: { range: "bytes=1-2" } });
  assert.deepEqual([part.status, await part.text()], [206, "BC"]);
  assert.equal(part.headers.get("content-range"), "bytes 1-2/6");
  assert.equal(part.headers.get("x-svc-cache"), "HIT");
  assert.match(part.headers.get("cache-status") ?? "", /hit/);
});

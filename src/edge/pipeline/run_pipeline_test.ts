import assert from "node:assert/strict";
import type { PipelineStep } from "../../rules/mod.ts";
import type { PipelineRequest, PipelineResponse } from "../messages/messages.ts";
import { planPipeline } from "./plan.ts";
import { PipelineFailedError, runPipeline } from "./run_pipeline.ts";
import type { StepResult, StepRunner } from "./step_runner.ts";

const first: PipelineRequest = {
  method: "GET",
  url: "http://shop.localhost/a",
  headers: [],
  body: null,
};

const text = (body: string, status = 200): PipelineResponse => ({
  status,
  headers: [["content-type", "text/plain"]],
  body: new TextEncoder().encode(body),
});

const bodyOf = async (response: PipelineResponse): Promise<string> =>
  await new Response(response.body).text();

type Behavior = (request: PipelineRequest, response?: PipelineResponse) => StepResult;

/** Runs functions by their names, and records the calls in order. */
function createRunner(behaviors: Record<string, Behavior>, trace: string[]) {
  const run = (name: string, request: PipelineRequest, response?: PipelineResponse) => {
    trace.push(name);
    return Promise.resolve(behaviors[name]?.(request, response) ?? { type: "next" as const });
  };
  const runner: StepRunner = {
    onRequest: (step, request) => run(step.use, request),
    onResponse: (step, request, response) => run(step.use, request, response),
    observe: (step, request, response) => void run(step.use, request, response),
    handle: (name, request) => run(name, request),
  };
  return runner;
}

function perform(steps: PipelineStep[], behaviors: Record<string, Behavior>, options: {
  request?: PipelineRequest;
  cache?: PipelineResponse;
  failed?: (error: unknown) => PipelineResponse;
} = {}) {
  const trace: string[] = [];
  const run = async () =>
    await runPipeline(planPipeline(steps), options.request ?? first, {
      runner: createRunner(behaviors, trace),
      origin: (request) => {
        trace.push(`origin ${new URL(request.url).pathname}`);
        return Promise.resolve(text("from the origin"));
      },
      cached: (request, produce) => {
        trace.push("cache");
        return options.cache === undefined ? produce(request) : Promise.resolve(options.cache);
      },
      failed: options.failed ?? ((error) => {
        throw error;
      }),
    });
  return { trace, run };
}

const request = (use: string, more: object = {}) => ({ use, mode: "request" as const, ...more });
const response = (use: string, more: object = {}) => ({ use, mode: "response" as const, ...more });
const observe = (use: string) => ({ use, mode: "observe" as const });
const origin = { handle: "origin" };
const failed: Behavior = () => ({ type: "failed", reason: "threw" });

Deno.test("runPipeline() runs request steps, cache, origin and response steps in order", async () => {
  const { trace, run } = perform([
    request("outer"),
    request("inner", { cachePosition: "after" }),
    origin,
    response("outer-out"),
    response("inner-out", { cachePosition: "after" }),
    observe("watch"),
  ], {});
  assert.equal(await bodyOf(await run()), "from the origin");
  assert.deepEqual(trace, [
    "outer",
    "cache",
    "inner",
    "origin /a",
    "inner-out",
    "outer-out",
    "watch",
  ]);
});

Deno.test("runPipeline() runs nothing after a cache that has the response", async () => {
  const { trace, run } = perform(
    [request("gate"), request("inner", { cachePosition: "after" }), origin, response("stamp")],
    {},
    { cache: text("stored") },
  );
  assert.equal(await bodyOf(await run()), "stored");
  assert.deepEqual(trace, ["gate", "cache", "stamp"]);
});

Deno.test("runPipeline() responds immediately from the cache if there is no step before it", () => {
  const stored = text("stored");
  const steps: PipelineStep[] = [request("inner", { cachePosition: "after" }), origin];
  const parts = {
    get runner(): StepRunner {
      throw new Error("No function runs");
    },
    origin: () => Promise.reject(new Error("No request is sent")),
    cached: () => stored,
    failed: (error: unknown) => {
      throw error;
    },
  };
  assert.equal(runPipeline(planPipeline(steps), first, parts), stored);
});

Deno.test("runPipeline() ends with the response of a request step; observers see it", async () => {
  const { trace, run } = perform([
    request("gate"),
    request("never"),
    origin,
    response("never-either"),
    observe("watch"),
  ], { gate: () => ({ type: "response", response: text("no", 401) }) });
  assert.equal((await run()).status, 401);
  assert.deepEqual(trace, ["gate", "watch"]);
});

Deno.test("runPipeline() shows observers the client's response to a failure", async () => {
  const { trace, run } = perform([request("gate"), origin, observe("watch")], {
    gate: failed,
    watch: (_request, given) => {
      trace.push(`saw ${given?.status}`);
      return { type: "next" };
    },
  }, { failed: () => text("sorry", 503) });
  assert.equal((await run()).status, 503);
  assert.deepEqual(trace, ["gate", "watch", "saw 503"]);
});

Deno.test("runPipeline() continues with a changed request and a replaced response", async () => {
  const { trace, run } = perform([request("move"), origin, response("shout")], {
    move: (given) => ({
      type: "request",
      request: { ...given, url: "http://shop.localhost/b" },
    }),
    shout: () => ({ type: "response", response: text("LOUD") }),
  });
  assert.equal(await bodyOf(await run()), "LOUD");
  assert.ok(trace.includes("origin /b"));
});

Deno.test("runPipeline() lets a function respond instead of the origin", async () => {
  const { trace, run } = perform([{ handle: "api" }], {
    api: () => ({ type: "response", response: text("api") }),
  });
  assert.equal(await bodyOf(await run()), "api");
  assert.deepEqual(trace, ["cache", "api"]);
});

const failures = [
  ["a request step by default", [request("x"), origin], "closed"],
  ["an open request step", [request("x", { failure: "open" }), origin], "open"],
  ["a response step by default", [origin, response("x")], "open"],
  ["a closed response step", [origin, response("x", { failure: "closed" })], "closed"],
  ["an observer", [origin, observe("x")], "open"],
  ["a handle", [{ handle: "x" }], "closed"],
] as const;

for (const [name, steps, outcome] of failures) {
  Deno.test(`runPipeline() fails ${outcome} if ${name} fails`, async () => {
    const { run } = perform([...steps], { x: failed });
    if (outcome === "open") assert.equal(await bodyOf(await run()), "from the origin");
    else await assert.rejects(run(), PipelineFailedError);
  });
}

Deno.test("runPipeline() cannot continue if a failed step has started to read the body", async () => {
  const body = new Response("sent").body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const { run } = perform([request("x", { failure: "open" }), origin], {
    x: (given) => {
      given.body!.getReader();
      return { type: "failed", reason: "threw" };
    },
  }, { request: { ...first, method: "POST", body } });
  await assert.rejects(run(), PipelineFailedError);
});

Deno.test("PipelineFailedError has status 504 on timeout, 499 on disconnect, otherwise 503", () => {
  assert.equal(new PipelineFailedError("x", "timeout").status, 504);
  assert.equal(new PipelineFailedError("x", "threw").status, 503);
  assert.equal(new PipelineFailedError("x", "client_gone").status, 499);
});

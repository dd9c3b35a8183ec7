import assert from "node:assert/strict";
import { planPipeline } from "./plan.ts";

Deno.test("planPipeline() puts steps before or after the cache, in authored order", () => {
  const plan = planPipeline([
    { use: "auth", mode: "request", failure: "closed" },
    { use: "variant", mode: "request", cachePosition: "after", failure: "open", as: "ab" },
    { use: "geo", mode: "request", cachePosition: "before" },
    { handle: "origin" },
    { use: "inject", mode: "response", cachePosition: "after" },
    { use: "stamp", mode: "response" },
    { use: "count", mode: "observe" },
  ]);
  assert.deepEqual(plan.outerRequest.map((step) => step.use), ["auth", "geo"]);
  assert.deepEqual(plan.innerRequest, [{ use: "variant", as: "ab", failure: "open" }]);
  assert.deepEqual(plan.innerResponse.map((step) => step.use), ["inject"]);
  assert.deepEqual(plan.outerResponse.map((step) => step.use), ["stamp"]);
  assert.deepEqual(plan.observers.map((step) => step.use), ["count"]);
  assert.equal(plan.runsBehindCache, true);
});

Deno.test("planPipeline() defaults request steps to closed and others to open", () => {
  const plan = planPipeline([
    { use: "a", mode: "request" },
    { handle: "origin" },
    { use: "b", mode: "response" },
    { use: "c", mode: "observe" },
  ]);
  assert.deepEqual(
    [plan.outerRequest, plan.outerResponse, plan.observers].map((steps) => steps[0]?.failure),
    ["closed", "open", "open"],
  );
  assert.equal(plan.runsBehindCache, false);
});

/**
 * Function processes must share a limited number of slots, and must stop when their deployment is
 * no longer live.
 */
import assert from "node:assert/strict";
import { ProcessPlaces } from "../../../src/runtime/mod.ts";
import { bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";
import { openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { createProject } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

const functions = [{
  name: "steps",
  source: `
export default async (request) => {
  await request.text();
  return new Response("answered");
};`,
}];

/** Creates a call that occupies a worker until the call is released. */
function heldCall() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  return {
    call: invocation("/", { method: "POST", body: readable }),
    letGo: () => void writable.close(),
  };
}

const limits = { memoryPollMs: 5, timeoutMs: 20_000 };

Deno.test("if no slot is free, new functions replace those that have been idle longest", async () => {
  const places = new ProcessPlaces({ max: 2, waitMs: 20_000 });
  await using first = await deployFunctions({ functions, limits, places });
  await using second = await deployFunctions({ functions, limits, places });
  await using third = await deployFunctions({ functions, limits, places });
  const ask = async ({ host }: typeof first) => bodyText(await host.invoke(invocation("/")));
  assert.deepEqual([await ask(first), await ask(second)], ["answered", "answered"]);
  const kept = first.host.pids;
  assert.equal(await ask(first), "answered");
  assert.equal(await ask(third), "answered");
  assert.deepEqual(first.host.pids, kept, "the most recently used functions keep running");
  assert.deepEqual(second.host.pids, []);
  assert.equal(places.taken, 2);
  assert.equal(await ask(second), "answered", "stopped functions restart on demand");
  assert.equal(places.taken, 2);
});

Deno.test("functions wait for a slot, and no call is interrupted to free one", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 20_000 });
  await using first = await deployFunctions({ functions, limits, places });
  await using second = await deployFunctions({ functions, limits, places });
  await first.host.start();
  const { call, letGo } = heldCall();
  const held = first.host.invoke(call);
  const waiting = second.host.invoke(invocation("/"));
  assert.equal(await bodyText(await first.host.invoke(invocation("/"))), "answered");
  letGo();
  assert.equal(await bodyText(await held), "answered");
  assert.equal(await bodyText(await waiting), "answered");
  assert.deepEqual([first.host.pids.length, second.host.pids.length], [0, 1]);
});

Deno.test("functions that do not get a slot in time are reported as overloaded", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 50 });
  await using first = await deployFunctions({ functions, limits, places });
  await using second = await deployFunctions({ functions, limits, places });
  await first.host.start();
  const { call, letGo } = heldCall();
  const held = first.host.invoke(call);
  const refused = await second.host.invoke(invocation("/"));
  assert.ok(refused.type === "failed");
  assert.equal(refused.reason, "overloaded");
  assert.match(refused.message, /^All 1 function processes/);
  letGo();
  assert.equal(await bodyText(await held), "answered");
});

Deno.test("functions stop when their last call has finished, and restart on demand", async () => {
  await using deployment = await deployFunctions({ functions, limits });
  const { host } = deployment;
  await host.start();
  const { call, letGo } = heldCall();
  const held = host.invoke(call);
  await host.endWhenIdle();
  assert.equal(host.pids.length, 1, "a process with a running call is not stopped");
  letGo();
  assert.equal(await bodyText(await held), "answered");
  await until(() => host.pids.length === 0);
  assert.equal(await bodyText(await host.invoke(invocation("/"))), "answered");
  assert.equal(host.pids.length, 1);
  await host.endWhenIdle();
  assert.equal(host.pids.length, 0);
  assert.deepEqual(deployment.log, []);
});

/** More than twice the maximum number of running processes. */
const [ROUNDS, MOST] = [15, 6];

Deno.test("a project keeps a single function process, even if it is deployed often", async () => {
  await using machinery = await openMachinery({ maxFunctionProcesses: MOST });
  const { platform } = machinery;
  // Other tests also start function processes, but the platform counts only its own.
  const health = async () => (await platform.api("GET", "/v1/health")).json.functions;
  await createProject(platform, "shop");
  const api = { api: "export default () => new Response(String(ROUND));" };
  const versions = [];
  let most = 0;
  for (let round = 0; round < ROUNDS; round++) {
    versions.push(
      await publish(platform, "shop", {
        functions: { api: api.api.replace("ROUND", String(round)) },
        rules: [rule("api", { type: "pipeline", steps: [{ handle: "api" }] })],
      }),
    );
    const { text } = await platform.get("shop.localhost", "/");
    assert.equal(text, String(round));
    most = Math.max(most, (await health()).running);
  }
  assert.ok(most <= MOST, `${most} processes at a time`);
  await until(async () => (await health()).running === 1);
  assert.equal((await health()).max, MOST);
  const own = new URL(versions[1].url).hostname;
  assert.equal(
    (await platform.get(own, "/")).text,
    "1",
    "a request to the deployment's URL restarts its functions",
  );
  assert.equal((await health()).running, 2);
});

/**
 * A function with an endless loop must be stopped because of its CPU time. Until then, a second
 * worker must serve the function's other visitors.
 */
import assert from "node:assert/strict";
import { bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";
import { createProject } from "../../helpers/platform.ts";
import { openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { until } from "../../../src/lib/_test_until.ts";

/**
 * A function that loops, waits or responds, depending on the path. The function counts the calls
 * that its worker has started.
 */
const SOURCE = `
let begun = 0;
const work = () => { let sum = 0; for (let turn = 0; turn < 5e8; turn++) sum += turn & 7; return sum; };
export default async (request) => {
  begun++;
  const { pathname } = new URL(request.url);
  if (pathname === "/spin") for (;;);
  if (pathname === "/work") return new Response(String(work()));
  if (pathname === "/wait") await fetch("https://out.test/");
  if (pathname === "/echo") return new Response(await request.text());
  return new Response(String(begun));
};`;

const FUNCTIONS = [{ name: "page", source: SOURCE }];

const at = (path: string, more: Parameters<typeof invocation>[1] = {}) =>
  invocation(path, { function: "page", ...more });

Deno.test("another worker soon handles calls queued behind an endless loop", async () => {
  await using site = await deployFunctions({
    functions: FUNCTIONS,
    limits: { timeoutMs: 60_000, startMs: 60_000, cpuMs: 50_000 },
  });
  assert.deepEqual(await site.host.start(), []);
  const leave = new AbortController();
  const spinning = site.host.invoke(at("/spin", { signal: leave.signal }));
  // These calls are queued for the same worker, which cannot start them.
  const behind = await Promise.all(
    Array.from({ length: 20 }, () => site.host.invoke(at("/"))),
  );
  assert.deepEqual(behind.map(({ type }) => type), Array(20).fill("response"));
  const bodies = await Promise.all(
    behind.map((result) =>
      result.type === "response" ? new Response(result.response.body).text() : ""
    ),
  );
  const order = Array.from({ length: 20 }, (_, index) => String(index + 1));
  assert.deepEqual(bodies, order, "each call is started once, in order, in one new worker");
  leave.abort();
  assert.equal((await spinning).type, "failed");
});

Deno.test("calls that had not started when their worker was killed run in a new one", async () => {
  await using site = await deployFunctions({
    functions: FUNCTIONS,
    limits: { timeoutMs: 60_000, startMs: 60_000, cpuMs: 300, graceMs: 50 },
  });
  assert.deepEqual(await site.host.start(), []);
  const spinning = [site.host.invoke(at("/spin")), site.host.invoke(at("/spin"))];
  const body = new Response("what was sent").body;
  const behind = site.host.invoke(at("/echo", { method: "POST", body }));
  for (const result of await Promise.all(spinning)) {
    assert.ok(result.type === "failed", JSON.stringify(result));
    assert.equal(result.reason, "timeout");
    assert.match(result.message, /used more than 300 ms of CPU time/);
  }
  const result = await behind;
  assert.ok(result.type === "response", JSON.stringify(result));
  assert.equal(await new Response(result.response.body).text(), "what was sent");
  assert.deepEqual(site.host.pids.length, 1, "the new worker is in the same process");
});

Deno.test("a call uses one slot at a time, regardless of its worker", async () => {
  await using site = await deployFunctions({
    functions: FUNCTIONS,
    limits: {
      timeoutMs: 60_000,
      startMs: 60_000,
      cpuMs: 400,
      graceMs: 50,
      maxConcurrent: 2,
      maxQueued: 1,
    },
  });
  assert.deepEqual(await site.host.start(), []);
  const spinning = site.host.invoke(at("/spin"));
  const behind = [site.host.invoke(at("/")), site.host.invoke(at("/"))];
  const refused = await site.host.invoke(at("/"));
  assert.equal(refused.type === "failed" && refused.reason, "overloaded");
  assert.deepEqual((await Promise.all(behind)).map(({ type }) => type), ["response", "response"]);
  assert.equal((await spinning).type, "failed");
  // Slots are released when bodies have ended and workers have stopped. If a slot were lost, a
  // third call would not get one.
  await until(async () => {
    const results = await Promise.all([1, 2, 3].map(() => site.host.invoke(at("/"))));
    await Promise.all(results.map(bodyText));
    return results.every(({ type }) => type === "response");
  });
});

Deno.test("a waiting function uses no CPU time, and a busy one causes a warning", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using site = await deployFunctions({
    functions: FUNCTIONS,
    limits: { timeoutMs: 60_000, startMs: 60_000, cpuMs: 5000 },
    outbound: async ({ url }) => {
      asked.resolve();
      await answer.promise;
      return { status: 200, statusText: "", headers: [], body: null, url, redirected: false };
    },
  });
  assert.deepEqual(await site.host.start(), []);
  const waiting = site.host.invoke(at("/wait"));
  await asked.promise;
  // This call works while the other call waits in the same worker.
  assert.equal((await site.host.invoke(at("/work"))).type, "response");
  answer.resolve();
  assert.equal((await waiting).type, "response");
  await until(async () => {
    assert.equal((await site.host.invoke(at("/work"))).type, "response");
    return site.slow.length > 0;
  });
  const [warning] = site.slow;
  assert.equal(warning?.level, "warn");
  assert.match(warning?.message ?? "", /^Function "page" used \d+ ms of CPU time for one/);
  assert.equal(warning?.requestId, "req-1");
});

Deno.test("the limit in a deployment's manifest applies, and the site's log reports it", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "busy");
  await publish(platform, "busy", {
    functions: { loops: "export default () => { for (;;); };" },
    functionLimits: { cpuMs: 150 },
    rules: [rule("loops", { type: "pipeline", steps: [{ handle: "loops" }] }, "/loops")],
  });
  assert.equal((await platform.get("busy.localhost", "/loops")).status, 504);
  const message = 'Function "loops" used more than 150 ms of CPU time';
  const logs = await platform.api("GET", "/v1/projects/busy/logs");
  const items = logs.json.items as readonly { readonly message?: string }[];
  assert.ok(items.some((item) => item.message === message), JSON.stringify(items));
});

/**
 * Functions that edges call in workers of their own, in a process that the platform
 * supervises. Here both are in one thread, so that nothing depends on which is quicker.
 */
import assert from "node:assert/strict";
import { FunctionLinks, ServerLinks, shareSlots } from "../../../src/runtime/mod.ts";
import { LinkedFunctions } from "../../../src/runtime/functions/link/mod.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";

const SOURCE = `
const worker = crypto.randomUUID();
let running = 0;
export default async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/spin") for (;;);
  if (pathname === "/fill") { const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1)); }
  if (pathname === "/hold") await fetch("https://out.test/");
  return new Response(worker);
};`;

const FUNCTIONS = [{ name: "page", source: SOURCE }];
const LIMITS = { timeoutMs: 60_000, startMs: 60_000, cpuMs: 50_000 };

const at = (path: string, more: Parameters<typeof invocation>[1] = {}) =>
  invocation(path, { function: "page", ...more });

type Functions = NonNullable<ReturnType<LinkedFunctions["find"]>>;

/** A platform and two edges that call its functions themselves. */
async function deployLinked(options: Parameters<typeof deployFunctions>[0] = {}) {
  const slots = shareSlots(2);
  const servers = new ServerLinks(slots);
  const links = new FunctionLinks(servers);
  const { promise: held, resolve: letGo } = Promise.withResolvers<never>();
  const site = await deployFunctions({
    ...{ functions: FUNCTIONS, outbound: () => held, links },
    ...options,
    limits: { ...LIMITS, ...options.limits },
  });
  const edges: LinkedFunctions[] = [];
  const makeEdge = (member: number) => {
    const edge: LinkedFunctions = new LinkedFunctions({
      ...{ slots, member },
      lease: (id) => links.find(id)?.lease() ?? Promise.resolve(undefined),
      // One that is dead says nothing.
      send: (id, generation, frame) =>
        edges[member - 1] === edge && links.find(id)?.send(generation, frame),
      log: (id, entry) => links.find(id)?.log(entry),
      left: (slot) => servers.left(slot),
      fetch: ({ deploymentId, to }, request) => links.find(deploymentId)!.fetch(to, request),
    });
    edges[member - 1] = edge;
  };
  for (const member of [1, 2]) makeEdge(member);
  links.onTold = (member, _id, generation, frame) => edges[member - 1]!.take(generation, frame);
  links.onEnded = (generation, end) => {
    for (const edge of edges) edge.ended(generation, end);
  };
  assert.deepEqual(await site.host.start(), []);
  /** The functions, as soon as an edge can call them itself. */
  const functionsOf = async (edge: LinkedFunctions): Promise<Functions> => {
    await until(() => edge.find("dep-1", ["page"]) !== undefined);
    return edge.find("dep-1", ["page"])!;
  };
  return {
    ...{ ...site, servers, edges, makeEdge, functionsOf, letGo: () => letGo(undefined as never) },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

const textOf = async (functions: Pick<Functions, "invoke">, path = "/"): Promise<string> =>
  await bodyText(await functions.invoke(at(path)));

Deno.test("each edge has workers of its own, in the one process", async () => {
  await using site = await deployLinked();
  const [one, two] = await Promise.all(site.edges.map((edge) => site.functionsOf(edge)));
  const workers = [await textOf(site.host), await textOf(one!), await textOf(two!)];
  assert.equal(new Set(workers).size, 3);
  assert.equal(await textOf(one!), workers[1]);
  assert.equal(site.host.pids.length, 1);
});

Deno.test("calls behind one that spins in an edge's worker are answered by another worker", async () => {
  await using site = await deployLinked();
  const functions = await site.functionsOf(site.edges[0]!);
  const before = await textOf(functions);
  const leave = new AbortController();
  const spinning = functions.invoke(at("/spin", { signal: leave.signal }));
  const behind = await Promise.all(Array.from({ length: 20 }, () => textOf(functions)));
  assert.equal(new Set(behind).size, 1);
  assert.ok(behind[0] !== "" && behind[0] !== before);
  leave.abort();
  assert.equal((await spinning).type, "failed");
});

Deno.test("a call in an edge that takes more of the processor than it may is ended", async () => {
  await using site = await deployLinked({ limits: { cpuMs: 200, graceMs: 50 } });
  const functions = await site.functionsOf(site.edges[0]!);
  const result = await functions.invoke(at("/spin"));
  assert.equal(result.type === "failed" && result.reason, "timeout");
  assert.notEqual(await textOf(functions), "");
  assert.ok(site.log.some(({ message }) => /more than 200 ms of processor time/.test(message)));
});

Deno.test("the limit of concurrent calls holds over platform and edges", async () => {
  await using site = await deployLinked({ limits: { maxConcurrent: 2, maxQueued: 1 } });
  const functions = await site.functionsOf(site.edges[0]!);
  const leave = new AbortController();
  const { signal } = leave;
  const held = [
    functions.invoke(at("/hold", { signal })),
    site.host.invoke(at("/hold", { signal })),
  ];
  let isAnswered = false;
  const waiting = [functions.invoke(at("/")), site.host.invoke(at("/"))];
  for (const each of waiting) void each.then(() => isAnswered = true);
  const refused = await site.host.invoke(at("/"));
  assert.equal(refused.type === "failed" && refused.reason, "overloaded");
  assert.equal(isAnswered, false);
  leave.abort();
  await Promise.all(held);
  assert.deepEqual((await Promise.all(waiting)).map(({ type }) => type), ["response", "response"]);
});

Deno.test("a process that breaks under an edge's call fails it, and is there again for the next", async () => {
  await using site = await deployLinked();
  const functions = await site.functionsOf(site.edges[0]!);
  const before = await textOf(functions);
  const result = await functions.invoke(at("/fill"));
  assert.equal(result.type === "failed" && result.reason, "memory");
  await until(async () => (await textOf(functions)) !== "");
  assert.notEqual(await textOf(functions), before);
});

Deno.test("a deployment that is superseded lets an edge's call end, and begins no other there", async () => {
  await using site = await deployLinked();
  const [edge] = site.edges;
  const functions = await site.functionsOf(edge!);
  const leave = new AbortController();
  const held = functions.invoke(at("/hold", { signal: leave.signal }));
  await site.host.endWhenIdle();
  assert.equal(site.host.pids.length, 1);
  assert.equal(edge!.find("dep-1", ["page"]), undefined);
  leave.abort();
  await held;
  await until(() => site.host.pids.length === 0);
  // A request to its own address starts it again.
  assert.notEqual(await textOf(functions), "");
});

Deno.test("an edge that dies gives back its places and workers; the next one has its own", async () => {
  await using site = await deployLinked({ limits: { maxConcurrent: 1 } });
  const functions = await site.functionsOf(site.edges[0]!);
  const before = await textOf(functions);
  void functions.invoke(at("/hold"));
  site.makeEdge(1);
  site.servers.memberEnded(1);
  const later = await site.functionsOf(site.edges[0]!);
  const after = await textOf(later);
  assert.ok(after !== "" && after !== before);
  assert.equal((await site.host.invoke(at("/"))).type, "response");
});

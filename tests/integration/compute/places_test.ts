/**
 * Servers must share a limited number of processes, and must be asked to stop before they are
 * killed.
 */
import assert from "node:assert/strict";
import { type ComputeServer, ProcessPlaces } from "../../../src/runtime/mod.ts";
import { until } from "../../../src/lib/_test_until.ts";
import {
  computeServer,
  onEachEngine,
  type TestServer,
  writeModules,
} from "../../helpers/compute_server.ts";

const directory = await writeModules({
  "entry.mjs": `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url !== "/hold") return response.end(String(process.pid));
  setTimeout(() => response.end("held"), 700);
}).listen(process.env.PORT);
`,
  "listens.mjs": `
process.on("SIGTERM", () => {
  console.log("heard SIGTERM");
  setTimeout(() => { console.log("finished"); process.exit(0); }, 50);
});
process.once("SIGINT", () => console.log("heard SIGINT"));
export default {
  fetch: () => new Response("ok"),
};
`,
  "deaf.mjs": `
const hear = () => console.log("heard SIGTERM");
if (globalThis.Deno === undefined) process.on("SIGTERM", hear);
else Deno.addSignalListener("SIGTERM", hear);
export default { fetch: () => new Response("ok") };
`,
});

Deno.test("if no slot is free, a new server replaces the one that has been idle longest", async () => {
  const places = new ProcessPlaces({ max: 2, waitMs: 60_000 });
  await using first = computeServer({ directory, places });
  await using second = computeServer({ directory, places });
  await using third = computeServer({ directory, places });
  const ran = [await first.ask("/"), await second.ask("/")];
  const again = await first.ask("/");
  assert.equal(again, ran[0]);
  assert.match(await third.ask("/"), /^200 \d+$/);
  assert.ok(second.logs.some(({ message }) => /another server needed its slot/.test(message)));
  assert.equal(await first.ask("/"), ran[0], "the most recently used server keeps running");
  assert.deepEqual(await second.server.check(), { healthy: true, latencyMs: 0 });
  assert.match(await second.ask("/"), /^200 \d+$/, "a stopped server restarts on demand");
});

Deno.test("a server waits until another becomes idle, up to a limit", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 60_000 });
  await using first = computeServer({ directory, places });
  await first.server.start();
  const held = first.ask("/hold");
  await using second = computeServer({ directory, places });
  assert.match(await second.ask("/"), /^200 \d+$/);
  assert.equal(await held, "200 held", "the open request completes");

  const few = new ProcessPlaces({ max: 1, waitMs: 50 });
  await using busy = computeServer({ directory, places: few });
  await busy.server.start();
  const holding = busy.ask("/hold");
  await using late = computeServer({ directory, places: few });
  assert.equal(await late.ask("/"), "overloaded");
  assert.deepEqual(await late.server.check(), { healthy: true, latencyMs: 0 });
  assert.equal(await holding, "200 held");
});

Deno.test("a server that fails to start releases its slot", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 60_000 });
  await using broken = computeServer({ directory, entry: "missing.mjs", places });
  assert.equal(await broken.ask("/"), "cannot_start");
  await using well = computeServer({ directory, places });
  assert.match(await well.ask("/"), /^200 \d+$/);
});

/** Returns the IDs of a process's child processes. */
function childrenOf(pid: number): number[] {
  const ids = Array.from(Deno.readDirSync("/proc"), ({ name }) => Number(name)).filter(Boolean);
  const parentOf = (id: number): number => {
    try {
      return Number(Deno.readTextFileSync(`/proc/${id}/stat`).split(") ").at(-1)!.split(" ")[1]);
    } catch {
      return 0;
    }
  };
  return ids.filter((id) => parentOf(id) === pid);
}

onEachEngine("a server that handles SIGTERM exits in time", async ({ serve, t }) => {
  const told = (app: TestServer) =>
    app.logs.map(({ message }) => message).filter((message) => !message.includes("cold start"));
  await t.step("when drained", async () => {
    await using app = serve({ directory, entry: "listens.mjs" });
    await app.ask("/");
    await app.server.drain(2000);
    assert.deepEqual(told(app), ["heard SIGTERM", "finished"]);
  });
  await t.step("when idle", async () => {
    await using app = serve({ directory, entry: "listens.mjs", limits: { idleMs: 100 } });
    await app.ask("/");
    await until(() => told(app).includes("finished"));
    assert.equal(await app.ask("/"), "200 ok");
  });
  await t.step("a server that does not exit is killed", async () => {
    await using app = serve({ directory, entry: "deaf.mjs" });
    await app.ask("/");
    await app.server.drain(2000);
    assert.deepEqual(told(app), ["heard SIGTERM"]);
  });
  await t.step("a signal does not stop the process", async () => {
    await using app = serve({ directory, entry: "listens.mjs" });
    await app.ask("/");
    const { pid } = app.server as ComputeServer & { readonly pid: number };
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      for (const each of [pid, ...childrenOf(pid)]) Deno.kill(each, signal);
    }
    assert.equal(await app.ask("/"), "200 ok");
    assert.deepEqual(told(app), []);
  });
});

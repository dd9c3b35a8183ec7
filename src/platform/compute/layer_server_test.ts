import assert from "node:assert/strict";
import type { ComputeRequest } from "../../runtime/mod.ts";
import { MemoryServer } from "./_test_server.ts";
import { LayerServer } from "./layer_server.ts";

const REQUEST: ComputeRequest = {
  method: "GET",
  target: "/",
  headers: [],
  body: null,
  requestId: "r1",
};

function layer() {
  const servers: MemoryServer[] = [];
  const made = new LayerServer(() => {
    const server = new MemoryServer();
    servers.push(server);
    return Promise.resolve(server);
  });
  return { made, servers };
}

Deno.test("LayerServer creates its server once, on the first request", async () => {
  const { made, servers } = layer();
  assert.equal(await made.check(), undefined);
  assert.equal(servers.length, 0);
  await Promise.all([made.fetch(REQUEST), made.fetch(REQUEST)]);
  assert.equal(servers.length, 1);
});

Deno.test("LayerServer.retire() stops the server, and the next request starts another", async () => {
  const { made, servers } = layer();
  await made.fetch(REQUEST);
  await made.retire(900);
  assert.equal(servers[0]!.drained, 900);
  await made.fetch(REQUEST);
  assert.equal(servers.length, 2);
  await made.close(5);
  assert.equal(servers[1]!.drained, 5);
  assert.equal((await made.fetch(REQUEST)).type, "failed");
  assert.equal(servers.length, 2, "a closed LayerServer starts no server");
});

Deno.test("LayerServer.retireOutdated() also stops a server that is being created", async () => {
  const { made, servers } = layer();
  await made.retireOutdated(() => true, 900);
  const asked = made.fetch(REQUEST);
  await made.retireOutdated((server) => server === servers[0], 900);
  await asked;
  assert.equal(servers[0]!.drained, 900);
  await made.fetch(REQUEST);
  await made.retireOutdated((server) => server === servers[0], 900);
  const second = made.fetch(REQUEST);
  void made.retireOutdated((server) => server === servers[1], 900);
  await Promise.all([second, made.fetch(REQUEST)]);
  assert.deepEqual(
    [servers[1]!.drained, servers.length],
    [900, 3],
    "the next request gets a new server",
  );
});

Deno.test("LayerServer.close() ends servers that are still finishing their requests", async () => {
  const { made, servers } = layer();
  await made.fetch(REQUEST);
  const [server] = servers;
  const drained: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  server!.drain = (milliseconds) => {
    drained.push(milliseconds);
    return drained.length === 1 ? promise : Promise.resolve();
  };
  const retiring = made.retire(900_000);
  await new Promise((done) => setTimeout(done, 0));
  await made.close(5);
  assert.deepEqual(drained, [900_000, 5]);
  resolve();
  await retiring;
});

Deno.test("LayerServer reports a server that cannot be created, and tries again", async () => {
  let isBroken = true;
  const made = new LayerServer(() =>
    isBroken ? Promise.reject(new Error("Blob is missing")) : Promise.resolve(new MemoryServer())
  );
  assert.deepEqual(await made.fetch(REQUEST), {
    type: "failed",
    reason: "cannot_start",
    message: "Blob is missing",
  });
  assert.deepEqual(await made.start(), { healthy: false, reason: "Blob is missing" });
  isBroken = false;
  assert.equal((await made.fetch(REQUEST)).type, "response");
});

Deno.test("LayerServer.check() reports a server that fails several requests in a row", async () => {
  const { made, servers } = layer();
  await made.fetch(REQUEST);
  const { result } = servers[0]!;
  const fail = async (reason: "crashed" | "timeout") => {
    servers[0]!.result = { type: "failed", reason, message: "Exited with 3" };
    await made.fetch(REQUEST);
  };
  await fail("crashed");
  assert.equal((await made.check())?.healthy, true);
  await fail("crashed");
  assert.deepEqual(await made.check(), { healthy: false, reason: "Exited with 3" });
  servers[0]!.result = result;
  await made.fetch(REQUEST);
  assert.equal((await made.check())?.healthy, true);
  for (let round = 0; round < 3; round++) await fail("timeout");
  assert.equal((await made.check())?.healthy, true);
});

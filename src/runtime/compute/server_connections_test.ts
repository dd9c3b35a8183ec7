import assert from "node:assert/strict";
import { Deadlines } from "../http1/deadlines.ts";
import { OutboundError } from "../http1/errors.ts";
import { ServerConnections } from "./server_connections.ts";
import { GREETING } from "./wire.ts";

/** Opens a server whose connections the test accepts one by one. */
function openServer() {
  const path = Deno.makeTempDirSync({ prefix: "svc-connections-" });
  const listener = Deno.listen({ transport: "unix", path: `${path}/s` });
  const times = {
    deadlines: new Deadlines(1000),
    exchanges: new Deadlines(1000),
    idleMs: Infinity,
    keepAliveMs: 60_000,
  };
  let dialed = 0;
  const connections = new ServerConnections({
    times,
    dial: () => {
      dialed++;
      return Deno.connect({ transport: "unix", path: `${path}/s` });
    },
  });
  connections.greets = true;
  return {
    connections,
    dialed: () => dialed,
    async greet() {
      const conn = await listener.accept();
      await conn.write(new TextEncoder().encode(GREETING));
      return conn;
    },
    accept: () => listener.accept(),
    close() {
      connections.close();
      times.deadlines.stop();
      times.exchanges.stop();
      listener.close();
      Deno.removeSync(path, { recursive: true });
    },
  };
}

Deno.test("requests get connections in order, whether released or newly accepted", async () => {
  const server = openServer();
  const { connections } = server;
  const order: number[] = [];
  const taken = [1, 2, 3].map(async (number) => {
    const connection = await connections.take();
    order.push(number);
    return connection;
  });
  const first = await server.greet();
  const left = await taken[0]!;
  assert.deepEqual(order, [1], "the other requests wait for the server to accept");
  connections.give(left);
  assert.equal(await taken[1], left, "the second request uses the connection of the first");
  const second = await server.greet();
  const other = await taken[2]!;
  assert.notEqual(other, left);
  assert.deepEqual(order, [1, 2, 3]);
  assert.equal(server.dialed(), 3);
  const third = await server.greet();
  for (const conn of [first, second, third]) conn.close();
  for (const connection of [left, other]) connection.close();
  server.close();
});

Deno.test("a server without a greeting gets requests immediately", async () => {
  const server = openServer();
  server.connections.greets = false;
  const connection = await server.connections.take();
  connection.close();
  (await server.accept()).close();
  server.close();
});

Deno.test("a request fails if its server accepts no connection, or closes it", async () => {
  const server = openServer();
  const taken = Promise.resolve(server.connections.take());
  (await server.accept()).close();
  await assert.rejects(
    taken,
    (error) => error instanceof OutboundError && error.code === "connect_failed",
  );
  server.close();
  await assert.rejects(
    Promise.resolve(server.connections.take()),
    (error) => error instanceof OutboundError && error.code === "connect_failed",
  );
});

Deno.test("no request gets a connection from before the server changed its address", async () => {
  const server = openServer();
  const { connections } = server;
  const taken = Promise.resolve(connections.take());
  const before = await server.greet();
  const left = await taken;
  connections.close();
  connections.give(left);
  const next = Promise.resolve(connections.take());
  const opening = Promise.resolve(connections.take());
  const after = await server.greet();
  assert.notEqual(await next, left);
  connections.close();
  const late = await server.greet();
  const again = await server.greet();
  assert.equal((await opening).used, 0);
  assert.equal(server.dialed(), 4, "a connection that was opening during the move is opened again");
  for (const conn of [before, after, late, again]) conn.close();
  for (const connection of [await next, await opening]) connection.close();
  server.close();
});

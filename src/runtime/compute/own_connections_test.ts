import assert from "node:assert/strict";
import { OwnConnections } from "./own_connections.ts";
import { GREETING } from "./wire.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function readAll(conn: Deno.Conn): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of conn.readable) chunks.push(chunk);
  return text(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])));
}

/**
 * Starts a server that greets, and echoes its input once the client has closed its side of the
 * connection.
 */
function startServer() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    for await (const conn of listener) {
      await conn.write(new TextEncoder().encode(GREETING));
      const buffer = new Uint8Array(100);
      let all = "";
      for (let read; (read = await conn.read(buffer)) !== null;) all += text(buffer.slice(0, read));
      await conn.write(new TextEncoder().encode(`seen ${all}`));
      conn.close();
    }
  })();
  const { port } = listener.addr;
  return {
    dial: () => Deno.connect({ port }),
    async close() {
      listener.close();
      await served;
    },
  };
}

const localPort = (conn: Deno.TcpConn): number => conn.localAddr.port;

Deno.test("OwnConnections passes on an announced connection in both directions, without the greeting", async () => {
  const server = startServer();
  const own = new OwnConnections(server.dial);
  own.greets = true;
  const { to } = own.routeOf(3000);
  for (const words of ["first", "second"]) {
    const conn = await Deno.connect({ hostname: to.host, port: to.port });
    own.announce(localPort(conn));
    await conn.write(new TextEncoder().encode(words));
    await conn.closeWrite();
    assert.equal(await readAll(conn), `seen ${words}`);
  }
  own.close();
  await server.close();
});

Deno.test("OwnConnections does not pass on unannounced connections", async () => {
  let dialled = 0;
  const own = new OwnConnections(() => {
    dialled++;
    return Promise.reject(new Error("none"));
  });
  const { to } = own.routeOf(3000);
  const conn = await Deno.connect({ hostname: to.host, port: to.port });
  own.announce(localPort(conn) === 1 ? 2 : 1);
  await conn.write(new TextEncoder().encode("hello"));
  own.close();
  const ended = await readAll(conn).catch(() => "");
  assert.equal(ended, "");
  assert.equal(dialled, 0);
});

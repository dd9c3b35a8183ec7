import assert from "node:assert/strict";
import { attractConnections, sharePort, stopAttracting, unsharePort } from "./shared_port.ts";

const CONNECTIONS = 40;

/** Counts the connections that each listener accepts, until it is closed. */
function count(listeners: readonly Deno.Listener[]): number[] {
  const counts = listeners.map(() => 0);
  for (const [at, listener] of listeners.entries()) {
    const accept = async () => {
      for await (const conn of listener) {
        counts[at]!++;
        conn.close();
      }
    };
    accept().catch(() => {});
  }
  return counts;
}

async function connectAll(port: number, hostname = "127.0.0.1"): Promise<void> {
  for (let at = 0; at < CONNECTIONS; at++) {
    const conn = await Deno.connect({ hostname, port });
    // Accepted once it is closed.
    assert.equal(await conn.read(new Uint8Array(1)), null);
    conn.close();
  }
}

Deno.test({
  name: "sharePort() lets another socket in, and attractConnections() passes connections on",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const before = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = before.addr;
    assert.throws(() => Deno.listen({ hostname: "127.0.0.1", port, reusePort: true }));
    assert.equal(sharePort(port), 1);
    const after = Deno.listen({ hostname: "127.0.0.1", port, reusePort: true });
    try {
      assert.ok(attractConnections(port, 1));
      // Both sockets are of this process here: the second, and a place without a socket.
      const counts = count([before, after]);
      await connectAll(port);
      assert.equal(counts[0]! + counts[1]!, CONNECTIONS);
      assert.ok(counts[1]! > 0);
      stopAttracting(port);
    } finally {
      before.close();
      after.close();
    }
  },
});

for (const hostname of ["127.0.0.1", "::1"]) {
  Deno.test({
    name: `sharePort() keeps all connections to ${hostname}, whoever joins`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const before = Deno.listen({ hostname, port: 0 });
      const { port } = before.addr;
      assert.equal(sharePort(port), 1);
      const after = Deno.listen({ hostname, port, reusePort: true });
      try {
        const counts = count([before, after]);
        await connectAll(port, hostname);
        assert.deepEqual(counts, [CONNECTIONS, 0]);
        // Again, by the group that it is in now.
        stopAttracting(port);
        assert.equal(sharePort(port), 2);
      } finally {
        before.close();
        after.close();
      }
    },
  });
}

Deno.test({
  name: "unsharePort() keeps others off the port again",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    try {
      sharePort(port);
      unsharePort(port);
      assert.throws(() => Deno.listen({ hostname: "127.0.0.1", port }), Deno.errors.AddrInUse);
    } finally {
      listener.close();
    }
  },
});

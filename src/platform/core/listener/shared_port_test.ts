import assert from "node:assert/strict";
import {
  attractConnections,
  endSharing,
  sharePort,
  stopAttracting,
  stopReceiving,
} from "./shared_port.ts";

const CONNECTIONS = 40;

/** Counts the connections that each listener accepts until it is closed. */
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
    // The listener closes each connection as soon as it has counted it.
    assert.equal(await conn.read(new Uint8Array(1)), null);
    conn.close();
  }
}

Deno.test({
  name: "sharePort() lets another socket join, and attractConnections() passes connections on",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const before = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = before.addr;
    assert.throws(() => Deno.listen({ hostname: "127.0.0.1", port, reusePort: true }));
    assert.equal(sharePort(port), 1);
    const after = Deno.listen({ hostname: "127.0.0.1", port, reusePort: true });
    try {
      assert.ok(attractConnections(port, 1));
      // Both sockets belong to this process, so the program refers to the second socket and an
      // empty position.
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
    name: `sharePort() keeps all connections to ${hostname}, even if another socket joins`,
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
        // Shares the port again, now that the sockets form a group.
        stopAttracting(port);
        assert.equal(sharePort(port), 2);
      } finally {
        before.close();
        after.close();
      }
    },
  });
}

/** Starts another process, which attracts the port's connections and closes each of them. */
async function startOther(port: number, own: number): Promise<Deno.ChildProcess> {
  const other = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("./_test_other.ts", import.meta.url).href],
    env: { PORT: `${port}`, OTHERS: `${own}`, NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = other.stdout.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), "attracts\n");
  reader.releaseLock();
  return other;
}

for (const order of [[0, 1], [1, 0]]) {
  Deno.test({
    name: `stopReceiving() leaves new connections to other processes while sockets close, ${order}`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const first = Deno.listen({ hostname: "127.0.0.1", port: 0, reusePort: true });
      const { port } = first.addr;
      const own = [first, Deno.listen({ hostname: "127.0.0.1", port, reusePort: true })];
      assert.equal(sharePort(port), own.length);
      const other = await startOther(port, own.length);
      try {
        const counts = count(own);
        stopReceiving(port);
        await connectAll(port);
        for (const at of order) {
          own[at]!.close();
          await connectAll(port);
        }
        assert.deepEqual(counts, [0, 0]);
      } finally {
        await other.stdin.close();
        await other.stdout.cancel();
        await other.status;
      }
    },
  });
}

Deno.test({
  name: "endSharing() stops other sockets from using the port",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    try {
      sharePort(port);
      endSharing(port);
      assert.throws(() => Deno.listen({ hostname: "127.0.0.1", port }), Deno.errors.AddrInUse);
    } finally {
      listener.close();
    }
  },
});

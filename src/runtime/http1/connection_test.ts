import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Http1Connection } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";

const RESPONSE = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");

/**
 * Returns a connection to a peer that responds and closes after the headers, so the next write
 * fails first.
 */
function closedAfterHead(): Deno.Conn {
  let [writes, reads, isClosed] = [0, 0, false];
  const conn = {
    async write(bytes: Uint8Array) {
      await delay(1);
      if (++writes > 1) throw new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
      return bytes.byteLength;
    },
    async read(buffer: Uint8Array) {
      await delay(20);
      if (isClosed) throw new Deno.errors.BadResource("Bad resource ID");
      if (++reads > 1) return null;
      buffer.set(RESPONSE);
      return RESPONSE.byteLength;
    },
    close: () => void (isClosed = true),
    ref: () => {},
    unref: () => {},
  };
  return conn as unknown as Deno.Conn;
}

Deno.test("the response of a server that closes without reading the body is not lost", async () => {
  const [deadlines, exchanges] = [new Deadlines(1000), new Deadlines(1000)];
  const times = { deadlines, exchanges, idleMs: 5000, keepAliveMs: 5000 };
  const connection = new Http1Connection(closedAfterHead(), times);
  const reuses: boolean[] = [];
  const { head } = await connection.exchange({
    method: "POST",
    target: "/",
    headers: [["host", "a"], ["content-length", "3"]],
    body: new Blob(["a=1"]).stream(),
    length: 3,
  }, { done: (reusable) => reuses.push(reusable) });
  assert.equal(head.status, 200);
  assert.deepEqual(reuses, [false]);
  deadlines.stop();
  exchanges.stop();
});

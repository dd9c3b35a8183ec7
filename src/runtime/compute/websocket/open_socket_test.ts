import assert from "node:assert/strict";
import { OutboundError } from "../../outbound/errors.ts";
import { openSocket } from "./open_socket.ts";

const ASKED = { method: "GET", target: "/", headers: [["host", "x"]], requestId: "r" } as const;

/** A server that says one thing to whoever connects. */
async function opened(words: string) {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const serving = (async () => {
    using conn = await listener.accept();
    await conn.read(new Uint8Array(4096));
    await conn.write(new TextEncoder().encode(words)).catch(() => {});
    await conn.read(new Uint8Array(1)).catch(() => {});
  })();
  try {
    return await openSocket(ASKED, {
      dial: () => Deno.connect({ hostname: "127.0.0.1", port }),
      timeoutMs: 2000,
      over: () => {},
    });
  } finally {
    await serving;
  }
}

const HOSTILE: readonly (readonly [string, string])[] = [
  ["interim answers without end", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)],
  ["a key that it did not read", "HTTP/1.1 101 X\r\nsec-websocket-accept: no\r\n\r\n"],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
];

for (const [name, words] of HOSTILE) {
  Deno.test(`openSocket() refuses ${name}`, async () => {
    await assert.rejects(
      opened(words),
      (error) => error instanceof OutboundError && error.code === "bad_response",
    );
  });
}

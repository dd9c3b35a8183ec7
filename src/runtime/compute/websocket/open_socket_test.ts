import assert from "node:assert/strict";
import { OutboundError } from "../../http1/errors.ts";
import { acceptFor, openSocket } from "./open_socket.ts";

const ASKED = {
  method: "GET",
  target: "/",
  headers: [["host", "x"], ["Sec-WebSocket-Protocol", "chat, echo"]],
  requestId: "r",
} as const;

/** The server's reply to a request. */
type Words = string | ((request: string) => Promise<string>);

/** Opens a socket to a server that sends one message to every client. */
async function opened(words: Words) {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const serving = (async () => {
    using conn = await listener.accept();
    const request = new Uint8Array(4096);
    await conn.read(request);
    const said = typeof words === "string" ? words : await words(new TextDecoder().decode(request));
    await conn.write(Uint8Array.from(said, (unit) => unit.charCodeAt(0))).catch(() => {});
    await conn.read(new Uint8Array(1)).catch(() => {});
  })();
  try {
    const result = await openSocket(ASKED, {
      dial: () => Deno.connect({ hostname: "127.0.0.1", port }),
      timeoutMs: 2000,
      over: () => {},
    });
    if (result.type === "open") result.socket.close();
    return result;
  } finally {
    await serving;
  }
}

/** Accepts the WebSocket, and chooses a protocol. */
const taking = (protocol: string) => async (request: string): Promise<string> => {
  const key = /sec-websocket-key: (\S+)/i.exec(request)?.[1] ?? "";
  return `HTTP/1.1 101 X\r\nsec-websocket-accept: ${await acceptFor(key)}\r\n` +
    `sec-websocket-protocol: ${protocol}\r\n\r\n`;
};

const HOSTILE: readonly (readonly [string, Words])[] = [
  ["endless interim responses", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)],
  ["a wrong key", "HTTP/1.1 101 X\r\nsec-websocket-accept: no\r\n\r\n"],
  ["a protocol that was not offered", taking("other")],
  ["a protocol that is not a valid field value", taking("echo\x01")],
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

Deno.test("openSocket() uses the offered protocol that the server has chosen", async () => {
  const result = await opened(taking("echo"));
  assert(result.type === "open");
  assert.equal(result.socket.protocol, "echo");
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { markWhole } from "../../../lib/whole_answer.ts";
import { testAcceptor } from "./_test_acceptor.ts";
import { sendInOneWrite } from "./one_write.ts";
import type { ClientConnection, ConnectionHandler } from "./types.ts";

const BODY = "0123456789".repeat(1300);
/** The type of an encrypted record (RFC 8446, 5.1). */
const APPLICATION_DATA = 23;

async function selfSigned(): Promise<{ readonly cert: string; readonly key: string }> {
  const folder = await Deno.makeTempDir({ prefix: "svc-one-write-" });
  const [certFile, keyFile] = [join(folder, "one.crt"), join(folder, "one.key")];
  await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", keyFile, "-out", certFile, "-subj", "/CN=localhost"],
      ...["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:FALSE"],
    ],
    stderr: "null",
  }).output();
  const pair = { cert: await Deno.readTextFile(certFile), key: await Deno.readTextFile(keyFile) };
  await Deno.remove(folder, { recursive: true });
  return pair;
}

/** Lengths of the application records in what a server sent. */
function recordsIn(sent: Uint8Array): number[] {
  const records: number[] = [];
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  for (let at = 0; at + 5 <= sent.byteLength; at += 5 + view.getUint16(at + 3)) {
    if (view.getUint8(at) === APPLICATION_DATA) records.push(view.getUint16(at + 3));
  }
  return records;
}

/** Passes one connection on to a port, and notes what comes back. */
function relayTo(port: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let sent = new Uint8Array();
  const relayed = (async () => {
    const client = await listener.accept();
    const server = await Deno.connect({ hostname: "127.0.0.1", port });
    const forth = client.readable.pipeTo(server.writable).catch(() => {});
    for await (const chunk of server.readable) {
      const all = new Uint8Array(sent.byteLength + chunk.byteLength);
      all.set(sent);
      all.set(chunk, sent.byteLength);
      sent = all;
      await client.write(chunk);
    }
    client.close();
    await forth;
  })().catch(() => {});
  return {
    port: listener.addr.port,
    /** What the server has sent since the last call. */
    take(): Uint8Array {
      const taken = sent;
      sent = new Uint8Array();
      return taken;
    },
    async close(): Promise<void> {
      listener.close();
      await relayed;
    },
  };
}

/** Reads until an answer of the test's body is complete; returns its text. */
async function readAnswer(conn: Deno.Conn): Promise<string> {
  let text = "";
  const chunk = new Uint8Array(65_536);
  while (!text.endsWith("0\r\n\r\n")) {
    const count = await conn.read(chunk);
    if (count === null) throw new Error(`The connection ended after ${text.length} characters`);
    text += new TextDecoder().decode(chunk.subarray(0, count));
  }
  return text;
}

Deno.test("sendInOneWrite() puts head and body of an answer into one record of TLS", async () => {
  const { cert, key } = await selfSigned();
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
  const closed = new AbortController();
  const handler = sendInOneWrite(() => markWhole(new Response(BODY), BODY));
  const { acceptor, serve } = testAcceptor({ handler });
  const serving = serve(listener, closed.signal);
  const relay = relayTo(listener.addr.port);
  const tcp = await Deno.connect({ hostname: "127.0.0.1", port: relay.port });
  const client = await Deno.startTls(tcp, { hostname: "localhost", caCerts: [cert] });
  const ask = async (): Promise<string> => {
    await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    return await readAnswer(client);
  };
  await ask();
  relay.take();
  const answer = await ask();
  assert.ok(answer.startsWith("HTTP/1.1 200 OK\r\n") && answer.includes(BODY));
  assert.equal(recordsIn(relay.take()).length, 1);
  client.close();
  closed.abort();
  listener.close();
  await serving;
  await acceptor.drain(0);
  await relay.close();
});

const CONNECTION: ClientConnection = {
  remoteAddress: "192.0.2.1",
  scheme: "https",
  hold: () => {},
};

Deno.test("sendInOneWrite() leaves answers as they are otherwise", async () => {
  const answerOf = async (handler: ConnectionHandler): Promise<Response> =>
    await sendInOneWrite(handler)(new Request("https://a.test/"), CONNECTION);
  const whole = new Response("small", { status: 201, headers: { "x-a": "b" } });
  const made = await answerOf(() => Promise.resolve(markWhole(whole, "small")));
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("x-a"), "b");
  assert.equal(await made.text(), "small");
  for (const response of [new Response(null, { status: 304 }), new Response("not marked")]) {
    assert.equal(await answerOf(() => response), response);
  }
});

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import { readDnsMessage, writeDnsMessage } from "../../lib/dns_frames.ts";
import { onUnusedPort } from "../../lib/_test_same_port.ts";
import { type DnsListenerOptions, DnsListenError, listenForDns } from "./listen.ts";

const HOST = "127.0.0.1";

const listen = (respond: DnsListenerOptions["respond"], troubles: string[] = []) =>
  onUnusedPort((port) =>
    listenForDns({
      host: HOST,
      port,
      respond,
      onTrouble: (message) => void troubles.push(message),
    }).catch((error) => {
      throw error.cause;
    })
  );

async function askByUdp(port: number, text: string): Promise<string> {
  const socket = createSocket("udp4");
  const response = new Promise<Buffer>((resolve) => socket.once("message", resolve));
  socket.send(Buffer.from(text), port, HOST);
  return String(await response.finally(() => socket.close()));
}

Deno.test("listenForDns() passes on messages over UDP and TCP, many per connection", async () => {
  const dns = await listen((message, { isUdp }) => Buffer.from(`${isUdp} ${message}`));
  assert.equal(await askByUdp(dns.port, "a"), "true a");
  const connection = await Deno.connect({ hostname: HOST, port: dns.port });
  for (const text of ["b", "c"]) {
    await writeDnsMessage(connection, Buffer.from(text));
    assert.equal(String(await readDnsMessage(connection)), `false ${text}`);
  }
  connection.close();
  await dns.close();
});

Deno.test("listenForDns() survives failures, and reports the first one", async () => {
  const troubles: string[] = [];
  const dns = await listen((message) => {
    if (String(message) !== "good") throw new Error("a fault");
    return message as Buffer;
  }, troubles);
  for (let count = 0; count < 3; count++) {
    const connection = await Deno.connect({ hostname: HOST, port: dns.port });
    await writeDnsMessage(connection, Buffer.from("bad"));
    await assert.rejects(readDnsMessage(connection));
    connection.close();
  }
  assert.equal(await askByUdp(dns.port, "good"), "good");
  await dns.close();
  assert.deepEqual(troubles, ["The DNS server could not respond to a query: a fault"]);
});

Deno.test("listenForDns() closes the oldest connection if there are too many", async () => {
  const dns = await listen((message) => message);
  const connections: Deno.TcpConn[] = [];
  for (let count = 0; count < 129; count++) {
    const connection = await Deno.connect({ hostname: HOST, port: dns.port });
    connections.push(connection);
    // The connection has been accepted once it gets a response.
    await writeDnsMessage(connection, Buffer.from("x"));
    await readDnsMessage(connection);
  }
  assert.equal(await connections[0]!.read(new Uint8Array(1)).catch(() => null), null);
  for (const each of connections) each.close();
  await dns.close();
});

Deno.test("listenForDns() reports a port that is already in use", async () => {
  const dns = await listen((message) => message);
  const taken = { host: HOST, port: dns.port, respond: () => undefined, onTrouble: () => {} };
  await assert.rejects(
    listenForDns(taken),
    (error) =>
      error instanceof DnsListenError && error.isInUse && error.message ===
        `Cannot listen for DNS queries on ${HOST}:${dns.port}: another program is using the port`,
  );
  await dns.close();
});

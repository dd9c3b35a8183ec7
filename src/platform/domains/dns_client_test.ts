import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { type DnsEntry, startDns } from "../../lib/_test_dns_server.ts";
import { listening, onUnusedPort } from "../../lib/_test_same_port.ts";
import { DnsClient, parseDnsServer, parseResolvConf } from "./dns_client.ts";
import type { DnsAnswer } from "./dns_lookup.ts";

const found = (...values: string[]): DnsAnswer => ({ type: "found", values });
const missing = (reason: "NXDOMAIN" | "NODATA"): DnsAnswer => ({ type: "missing", reason });
const failed = (reason: string): DnsAnswer => ({ type: "failed", reason });

const LONG = "x".repeat(600);
const NAMES: Record<string, DnsEntry> = {
  "one.test": { TXT: ["hello"], A: ["192.0.2.1"], AAAA: ["2001:db8::1"] },
  "many.test": { TXT: ["a", "b"] },
  "long.test": { TXT: [LONG] },
  "alias.test": { CNAME: ["Target.Example"] },
  "servfail.test": "SERVFAIL",
  "refused.test": "REFUSED",
  "silent.test": "SILENT",
};

const rows: [string, "TXT" | "CNAME" | "A" | "AAAA", DnsAnswer][] = [
  ["one.test", "TXT", found("hello")],
  ["one.test", "A", found("192.0.2.1")],
  ["one.test", "AAAA", found("2001:db8::1")],
  ["one.test", "CNAME", missing("NODATA")],
  ["many.test", "TXT", found("a", "b")],
  ["long.test", "TXT", found(LONG)],
  ["alias.test", "CNAME", found("target.example")],
  ["nothing.test", "TXT", missing("NXDOMAIN")],
  ["servfail.test", "TXT", failed("SERVFAIL")],
  ["refused.test", "A", failed("REFUSED")],
];

Deno.test("DnsClient.lookup() distinguishes a name server's responses", async () => {
  const dns = await startDns(NAMES);
  dns.truncated.add("many.test");
  const servers = [parseDnsServer(dns.server)];
  const client = new DnsClient({ servers });
  try {
    for (const [name, type, wanted] of rows) {
      assert.deepEqual(await client.lookup(name, type), wanted, `${type} ${name}`);
    }
    const hasty = new DnsClient({ servers, timeoutMs: 50 });
    assert.deepEqual(await hasty.lookup("silent.test", "TXT"), failed("TIMEOUT"));
  } finally {
    await dns.close();
  }
});

Deno.test("DnsClient.lookup() queries the next server if one is dead", async () => {
  const dns = await startDns(NAMES);
  const dead = { address: "127.0.0.1", port: 9 };
  const client = new DnsClient({
    servers: [dead, parseDnsServer(dns.server)],
    timeoutMs: 2000,
  });
  try {
    assert.deepEqual(await client.lookup("one.test", "TXT"), found("hello"));
  } finally {
    await dns.close();
  }
});

Deno.test("DnsClient.lookup() gives up on a server that truncates responses and hangs on TCP", async () => {
  const { tcp, udp, port } = await onUnusedPort(async (port) => {
    const tcp = Deno.listen({ hostname: "127.0.0.1", port });
    const udp = createSocket("udp4", (query, from) => {
      query[2] = 0x83;
      udp.send(query, from.port, from.address);
    });
    await listening(udp, () => void udp.bind(port, "127.0.0.1")).catch((error) => {
      tcp.close();
      throw error;
    });
    return { tcp, udp, port };
  });
  const held: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of tcp) held.push(connection);
  })();
  const client = new DnsClient({ servers: [{ address: "127.0.0.1", port }], timeoutMs: 50 });
  assert.deepEqual(await client.lookup("cut.test", "TXT"), failed("TIMEOUT"));
  await new Promise<void>((resolve) => udp.close(resolve));
  tcp.close();
  for (const connection of held) connection.close();
  await accepting;
});

Deno.test("DnsClient.lookup() reports that no server is known", async () => {
  const answer = await new DnsClient({ servers: [] }).lookup("one.test", "A");
  assert.deepEqual(answer, failed("NO NAME SERVER KNOWN"));
});

Deno.test("parseDnsServer() reads addresses with and without a port", () => {
  assert.deepEqual(parseDnsServer("9.9.9.9"), { address: "9.9.9.9", port: 53 });
  assert.deepEqual(parseDnsServer("127.0.0.1:5353"), { address: "127.0.0.1", port: 5353 });
  assert.deepEqual(parseDnsServer("::1"), { address: "::1", port: 53 });
  assert.deepEqual(parseDnsServer("2620:FE:0::fe"), { address: "2620:fe::fe", port: 53 });
  assert.deepEqual(parseDnsServer("[::1]:5353"), { address: "::1", port: 5353 });
  for (const bad of ["", "dns.example", "1.2.3.4:0", "1.2.3.4:99999", "[1.2.3.4", "::1]:5"]) {
    assert.throws(() => parseDnsServer(bad), TypeError, bad);
  }
});

Deno.test("parseResolvConf() finds up to three name servers", () => {
  const text = "# comment\nnameserver 10.0.0.1\nsearch x\n" +
    "nameserver 10.0.0.2 # two\nnameserver nonsense\nnameserver 10.0.0.3\nnameserver 10.0.0.4\n";
  assert.deepEqual(
    parseResolvConf(text).map(({ address }) => address),
    ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
  );
});

import assert from "node:assert/strict";
import { Packet, TCPClient, UDPClient } from "dns2";
import { onUnusedPort } from "../../lib/_test_same_port.ts";
import type { EdgePlace } from "../edges/mod.ts";
import { soleNode } from "../core/nodes/mod.ts";
import { solePeers } from "../core/peers/mod.ts";
import { createDns, type DnsParts } from "./create_dns.ts";

const HOST = "127.0.0.1";
const OWN = ["192.0.2.1", "192.0.2.2"];
const edge = (name: string, address: string, more: Partial<EdgePlace> = {}): EdgePlace => ({
  name,
  addresses: [address],
  country: undefined,
  isDrained: false,
  ...more,
});

type Ask = ReturnType<typeof UDPClient>;

async function withDns(
  parts: Partial<DnsParts["edges"]> & { readonly publicAddresses?: readonly string[] },
  run: (udp: Ask, tcp: Ask) => Promise<void>,
): Promise<void> {
  const node = { id: "a", instance: "a", self: () => assert.fail() };
  const foundation = {
    nodes: soleNode(node),
    peers: solePeers(),
    closing: new AbortController().signal,
    now: () => 0,
    log: () => {},
    onTrouble: assert.fail,
  };
  const { publicAddresses = OWN, places = () => [], present = () => [] } = parts;
  const { dns, port } = await onUnusedPort(async (port) => {
    const options = { baseDomain: "Svc.test", host: HOST, publicAddresses, dns: { port } };
    const dns = createDns(foundation, {
      options,
      challenges: { txtOf: () => ["proof"] },
      edges: { places, present },
      apiNames: ["svc.test", "console.svc.test"],
      country: (address) => address.startsWith("192.0.2.") ? "DE" : undefined,
    });
    await dns.recover!().catch((error) => {
      throw error.cause;
    });
    return { dns, port };
  });
  try {
    await run(UDPClient({ dns: HOST, port, retryOverTCP: false }), TCPClient({ dns: HOST, port }));
  } finally {
    await dns.close!();
  }
}

const addresses = async (ask: Ask, host: string, clientIp?: string) => {
  const options = clientIp === undefined ? {} : { clientIp };
  const { answers } = await ask(host, "A", Packet.CLASS.IN, options);
  return answers.map(({ address }) => address).sort();
};

Deno.test("responses contain an edge's address while the edge is connected", async () => {
  let [present, isDrained] = [["near"], false];
  const places = () => [edge("near", "192.0.2.2", { isDrained, country: "US" })];
  await withDns({ places, present: () => present }, async (ask) => {
    assert.deepEqual(await addresses(ask, "shop.svc.test"), OWN);
    for (const host of ["svc.test", "console.svc.test", "ns.svc.test"]) {
      assert.deepEqual(await addresses(ask, host), ["192.0.2.1"], host);
    }
    assert.deepEqual(await addresses(ask, "shop.svc.test", "192.0.2.0/24"), ["192.0.2.1"]);
    isDrained = true;
    assert.deepEqual(await addresses(ask, "shop.svc.test"), ["192.0.2.1"]);
    [present, isDrained] = [[], false];
    assert.deepEqual(await addresses(ask, "shop.svc.test"), ["192.0.2.1"]);
  });
});

Deno.test("a platform without other addresses sends clients to its connected edges", async () => {
  let present = ["a", "b"];
  const places = () => [edge("a", OWN[0]!), edge("b", OWN[1]!)];
  await withDns({ places, present: () => present }, async (ask) => {
    assert.deepEqual(await addresses(ask, "shop.svc.test"), OWN);
    present = ["b"];
    assert.deepEqual(await addresses(ask, "shop.svc.test"), ["192.0.2.2"]);
    present = [];
    assert.deepEqual(await addresses(ask, "shop.svc.test"), OWN);
  });
});

Deno.test("a platform without public addresses serves only challenges", async () => {
  await withDns({ publicAddresses: [] }, async (ask) => {
    assert.equal((await ask("shop.svc.test", "A")).header.rcode, Packet.RCODE.REFUSED);
    const [proof] = (await ask("_acme-challenge.svc.test", "TXT")).answers;
    assert.deepEqual([proof?.data, proof?.ttl], [["proof"], 1]);
  });
});

Deno.test("a client that sends too many queries must use TCP, where it still gets responses", async () => {
  await withDns({}, async (udp, tcp) => {
    for (let count = 0; count < 200; count++) {
      assert.deepEqual(await addresses(udp, "shop.svc.test"), OWN);
    }
    const { header, answers } = await udp("shop.svc.test", "A");
    assert.deepEqual([header.tc, answers], [1, []]);
    assert.deepEqual(await addresses(tcp, "shop.svc.test"), OWN);
  });
});

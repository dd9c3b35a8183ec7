import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Packet, type Resource } from "dns2";
import { type Asked, type DnsRecord, respond, type Zone } from "./respond.ts";

const { TYPE, CLASS, RCODE } = Packet;
const CLIENT: Asked = { from: "192.0.2.53", isUdp: true, isLimited: false };

let clients: string[] = [];
const zone = (name: string, of: Readonly<Record<string, readonly DnsRecord[]>>): Zone => ({
  name,
  ttl: 30,
  isTailored: name === "svc.test",
  find(asked, client) {
    clients.push(client);
    return of[asked];
  },
});

const text = (data: string): DnsRecord => ({ type: "TXT", data });
const authority = {
  zones: [
    zone("svc.test", {
      "svc.test": [{ type: "A", address: "192.0.2.1" }],
      "shop.svc.test": [
        { type: "A", address: "192.0.2.1" },
        { type: "AAAA", address: "2001:db8::1" },
      ],
      "many.svc.test": Array.from({ length: 40 }, (_, at) => text(`${at} `.padEnd(60, "x"))),
    }),
    zone("_acme-challenge.svc.test", { "_acme-challenge.svc.test": [text("proof")] }),
  ],
  nameServers: ["ns1.svc.test", "ns2.svc.test"],
};

interface Query {
  readonly type?: number;
  readonly class?: number;
  readonly opcode?: number;
  readonly options?: object[];
  readonly version?: number;
  readonly udpBytes?: number;
  readonly asked?: Partial<Asked>;
}

function queryOf(name: string, query: Query): Packet {
  const packet = new Packet();
  packet.header = new Packet.Header({ id: 7, rd: 1, opcode: query.opcode ?? 0 });
  packet.questions = [
    new Packet.Question(name, query.type ?? TYPE.A, query.class ?? CLASS.IN),
  ];
  const { options, version, udpBytes } = query;
  if (options !== undefined || version !== undefined || udpBytes !== undefined) {
    const of = { version: version ?? 0, udpPayloadSize: udpBytes ?? 4096 };
    packet.additionals = [Packet.Resource.EDNS(options ?? [], of)];
  }
  return packet;
}

function ask(name: string, query: Query = {}): Packet {
  const asked = { ...CLIENT, ...query.asked };
  const sent = respond(queryOf(name, query).toBuffer(), authority, asked)!;
  // As in respond(), the codec may need an extra byte.
  return Packet.parse(Buffer.concat([sent, Buffer.alloc(1)]));
}

Deno.test("respond() returns a name's records, spelled as in the query", () => {
  const { header, questions, answers, authorities, additionals } = ask("Shop.SVC.test");
  assert.deepEqual(
    [header.id, header.qr, header.aa, header.rd, header.ra, header.rcode, header.tc],
    [7, 1, 1, 1, 0, 0, 0],
  );
  assert.equal(questions[0]!.name, "Shop.SVC.test");
  assert.deepEqual(
    answers.map(({ name, address, ttl }) => [name, address, ttl]),
    [["Shop.SVC.test", "192.0.2.1", 30]],
  );
  assert.deepEqual([authorities, additionals], [[], []]);
  assert.equal(ask("shop.svc.test", { type: TYPE.AAAA }).answers[0]!.address, "2001:db8::1");
});

Deno.test("respond() picks the most specific zone", () => {
  const { answers } = ask("_acme-challenge.svc.test", { type: TYPE.TXT });
  assert.deepEqual(answers.map(({ data }) => data), [["proof"]]);
  const below = ask("x._acme-challenge.svc.test").authorities[0]!;
  assert.deepEqual([below.name, below.primary], ["_acme-challenge.svc.test", "ns1.svc.test"]);
});

Deno.test("respond() returns NS and SOA records only at the apex", () => {
  const ns = ask("svc.test", { type: TYPE.NS }).answers;
  assert.deepEqual(ns.map((each) => each.ns), ["ns1.svc.test", "ns2.svc.test"]);
  const [soa] = ask("svc.test", { type: TYPE.SOA }).answers;
  assert.deepEqual([soa!.admin, soa!.minimum], ["hostmaster.svc.test", 30]);
  assert.deepEqual(ask("shop.svc.test", { type: TYPE.NS }).answers, []);
});

for (
  const [what, name, type, rcode] of [
    ["a name without records of the type", "shop.svc.test", TYPE.TXT, RCODE.NOERROR],
    ["CAA records", "svc.test", TYPE.CAA, RCODE.NOERROR],
    ["a name that does not exist", "none.svc.test", TYPE.A, RCODE.NXDOMAIN],
  ] as const
) {
  Deno.test(`respond() states how long resolvers may cache the absence of ${what}`, () => {
    const { header, answers, authorities } = ask(name, { type });
    assert.deepEqual([header.rcode, header.aa, answers], [rcode, 1, []]);
    const [soa] = authorities;
    assert.deepEqual(
      [authorities.length, soa!.type, soa!.name, soa!.ttl, soa!.minimum],
      [1, TYPE.SOA, "svc.test", 30, 30],
    );
  });
}

for (
  const [what, name, query, rcode] of [
    ["another zone", "example.com", {}, RCODE.REFUSED],
    ["a name that only has the same ending", "xsvc.test", {}, RCODE.REFUSED],
    ["a zone above", "test", {}, RCODE.REFUSED],
    ["a transfer", "svc.test", { type: TYPE.AXFR }, RCODE.REFUSED],
    ["an incremental transfer", "svc.test", { type: 251 }, RCODE.REFUSED],
    ["another class", "svc.test", { class: CLASS.CH }, RCODE.REFUSED],
    ["an update", "svc.test", { opcode: 5 }, RCODE.NOTIMP],
    ["a later version of EDNS", "svc.test", { version: 1 }, RCODE.BADVERS],
  ] as const
) {
  Deno.test(`respond() refuses ${what}, and returns no records`, () => {
    const { header, answers, authorities } = ask(name, query);
    assert.deepEqual([header.rcode, header.aa, answers, authorities], [rcode, 0, [], []]);
  });
}

Deno.test("respond() returns one small record for ANY (RFC 8482)", () => {
  const { answers } = ask("many.svc.test", { type: TYPE.ANY });
  assert.deepEqual(answers.map(({ type }) => type), [TYPE.HINFO]);
  assert.equal(String(answers[0]!.data), "\x07RFC8482\x00");
});

for (
  const [what, udpBytes, most] of [
    ["without EDNS", undefined, 512],
    ["that accepts more than fits into one packet", 4096, 1232],
  ] as const
) {
  Deno.test(`respond() makes a resolver ${what} use TCP for a long response`, () => {
    const query = { type: TYPE.TXT, ...(udpBytes !== undefined && { udpBytes }) };
    const sent = respond(queryOf("many.svc.test", query).toBuffer(), authority, CLIENT)!;
    const { header, answers } = Packet.parse(sent);
    assert.ok(sent.byteLength <= most);
    assert.deepEqual([header.tc, answers], [1, []]);
    assert.equal(ask("many.svc.test", { ...query, asked: { isUdp: false } }).answers.length, 40);
  });
}

Deno.test("respond() makes a resolver with too many queries use TCP", () => {
  const { header, answers } = ask("shop.svc.test", { asked: { isLimited: true } });
  assert.deepEqual([header.tc, header.rcode, answers], [1, 0, []]);
});

const scopeOf = ({ rdata }: Resource) =>
  (rdata as { scopePrefixLength?: number }[])[0]!.scopePrefixLength;

const subnet = (ip: string, bits: number) => ({
  ednsCode: 8,
  family: ip.includes(":") ? 2 : 1,
  sourcePrefixLength: bits,
  scopePrefixLength: 0,
  ip,
});

for (
  const [ip, bits, client] of [
    ["198.51.100.0", 24, "198.51.100.0"],
    ["2001:db8:aa:bb00::", 56, "2001:db8:aa:bb00:0:0:0:0"],
    ["0.0.0.0", 0, CLIENT.from],
  ] as const
) {
  Deno.test(`respond() locates the client by ${ip}/${bits}, and returns this scope`, () => {
    clients = [];
    const { header, additionals } = ask("shop.svc.test", { options: [subnet(ip, bits)] });
    assert.deepEqual([header.rcode, clients], [RCODE.NOERROR, [client]]);
    assert.deepEqual([additionals[0]!.class, scopeOf(additionals[0]!)], [1232, bits]);
    const fixed = ask("_acme-challenge.svc.test", { options: [subnet(ip, bits)] });
    assert.equal(scopeOf(fixed.additionals[0]!), 0);
  });
}

Deno.test("respond() ignores responses and short messages, and survives damaged ones", () => {
  const query = queryOf("shop.svc.test", { options: [subnet("2001:db8::", 56)] }).toBuffer();
  const response = Buffer.from(query);
  response[2]! |= 0x80;
  assert.equal(respond(response, authority, CLIENT), undefined);
  let seed = 1;
  const random = (below: number) => (seed = seed * 48271 % 2147483647) % below;
  for (let at = 0; at <= query.length; at++) {
    assert.equal(respond(query.subarray(0, at), authority, CLIENT) === undefined, at < 11, `${at}`);
  }
  for (let round = 0; round < 5000; round++) {
    const broken = Buffer.from(query);
    for (let change = 0; change < 3; change++) broken[random(broken.length)] = random(256);
    const sent = respond(broken, authority, CLIENT);
    assert.ok((sent?.byteLength ?? 0) <= 1232);
  }
});

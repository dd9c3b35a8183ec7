/**
 * Responses from an authoritative name server (RFC 1034, RFC 2308, RFC 6891, RFC 7871). Pure.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { Packet, type Resource } from "dns2";

const { TYPE, CLASS, RCODE } = Packet;

/** Query types for zone transfers. The codec has no name for incremental transfers. */
const TRANSFERS: readonly number[] = [TYPE.AXFR, 251];

/**
 * Maximum size of a UDP response, in bytes. A response of this size fits into one packet on every
 * path (RFC 9715).
 */
const MAX_UDP_BYTES = 1232;
/** Maximum size of a UDP response for resolvers without EDNS, in bytes. */
const PLAIN_UDP_BYTES = 512;
const MAX_TCP_BYTES = 65_535;

/** The response to `ANY` (RFC 8482): one small record. */
const ANY_DATA = Buffer.from("\x07RFC8482\x00", "latin1");

export type DnsRecord =
  | { readonly type: "A" | "AAAA"; readonly address: string }
  | { readonly type: "TXT"; readonly data: string };

/** A zone for which this server is authoritative. Names are in lower case. */
export interface Zone {
  readonly name: string;
  /** How long resolvers may cache records, or the fact that a name has none, in seconds. */
  readonly ttl: number;
  /** Whether records depend on the client's address. */
  readonly isTailored: boolean;
  /** Returns a name's records other than NS and SOA; `undefined` if the name does not exist. */
  find(name: string, client: string): readonly DnsRecord[] | undefined;
}

interface Authority {
  readonly zones: readonly Zone[];
  /** Hostnames of the zone's name servers. */
  readonly nameServers: readonly string[];
}

export interface Asked {
  /** IP address of the resolver. */
  readonly from: string;
  readonly isUdp: boolean;
  /** Whether the resolver sends too many queries and therefore must use TCP. */
  readonly isLimited: boolean;
}

type Subnet = ReturnType<typeof Packet.Resource.EDNS.ECS>;

/** Returns the client's network, as passed on by a resolver. */
function subnetIn(opt: Resource | undefined): Subnet | undefined {
  const subnet = opt?.rdata?.find(({ ednsCode }) => ednsCode === Packet.EDNS_OPTION_CODE.ECS) as
    | Subnet
    | undefined;
  const bits = { 1: 32, 2: 128 }[subnet?.family ?? 0] ?? -1;
  return subnet !== undefined && subnet.sourcePrefixLength <= bits ? subnet : undefined;
}

/** Returns why a query gets no records. */
function faultOf({ header, questions, errors }: Packet, opt: Resource | undefined) {
  const [question] = questions;
  if (header.opcode !== 0) return RCODE.NOTIMP;
  if (question === undefined || questions.length > 1 || errors.length > 0) return RCODE.FORMERR;
  if ((opt?.version ?? 0) > 0) return RCODE.BADVERS;
  const isRefused = question.class !== CLASS.IN || TRANSFERS.includes(question.type);
  return isRefused ? RCODE.REFUSED : undefined;
}

function soaOf({ ttl, name }: Zone, primary: string) {
  const admin = `hostmaster.${name}`;
  const times = { refresh: 3600, retry: 600, expiration: 86_400, minimum: ttl };
  return { type: TYPE.SOA, primary, admin, serial: 1, ...times };
}

/** Finds the most specific zone that contains a name. */
const zoneOf = (zones: readonly Zone[], name: string): Zone | undefined =>
  zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`))
    .sort((a, b) => b.name.length - a.name.length)[0];

/**
 * Fills in a name's records. If there are none, fills in the SOA record, which states how long to
 * cache that result.
 */
function addRecords(response: Packet, { zones, nameServers }: Authority, client: string) {
  const { name: asked, type } = response.questions[0]!;
  const name = asked.toLowerCase();
  const zone = zoneOf(zones, name);
  response.header.aa = zone === undefined ? 0 : 1;
  if (zone === undefined) return void (response.header.rcode = RCODE.REFUSED);
  const record = (name: string, data: object): Resource =>
    new Packet.Resource({ name, class: CLASS.IN, ttl: zone.ttl, ...data });
  const soa = soaOf(zone, nameServers[0]!);
  const apex = name === zone.name ? [soa, ...nameServers.map((ns) => ({ type: TYPE.NS, ns }))] : [];
  const found = zone.find(name, client)?.map((each) => ({ ...each, type: TYPE[each.type] }));
  if (found === undefined) response.header.rcode = RCODE.NXDOMAIN;
  const records = [...found ?? [], ...apex];
  const matching = type === TYPE.ANY && records.length > 0
    ? [{ type: TYPE.HINFO, data: ANY_DATA }]
    : records.filter((each) => each.type === type);
  response.answers = matching.map((data) => record(asked, data));
  if (matching.length === 0) response.authorities = [record(zone.name, soa)];
  return zone;
}

/** Parses a message. Returns `undefined` for a message that must get no response. */
function parseQuery(message: Uint8Array): Packet | undefined {
  try {
    // The codec reads IPv6 networks two bytes at a time, so it may need an extra byte.
    const query = Packet.parse(Buffer.concat([message, Buffer.alloc(1)]));
    return query.header.qr === 0 ? query : undefined;
  } catch {
    return undefined;
  }
}

function fit(response: Packet, maxBytes: number): Buffer {
  const whole = response.toBuffer();
  if (whole.length <= maxBytes) return whole;
  response.header.tc = 1;
  [response.answers, response.authorities] = [[], []];
  return response.toBuffer();
}

/** Returns the response to a message; `undefined` if the message must not get one. */
export function respond(
  message: Uint8Array,
  authority: Authority,
  { from, isUdp, isLimited }: Asked,
): Buffer | undefined {
  const query = parseQuery(message);
  if (query === undefined) return undefined;
  const { id, opcode, rd } = query.header;
  const response = new Packet();
  response.header = new Packet.Header({ id, qr: 1, opcode, rd });
  response.questions = query.questions.slice(0, 1);
  const opt = query.additionals.find(({ type }) => type === TYPE.EDNS);
  const subnet = subnetIn(opt);
  const fault = faultOf(query, opt);
  let zone: Zone | undefined;
  if (fault !== undefined) response.header.rcode = fault;
  else if (isLimited) response.header.tc = 1;
  else {
    const { sourcePrefixLength = 0, ip = from } = subnet ?? {};
    zone = addRecords(response, authority, sourcePrefixLength === 0 ? from : ip);
  }
  if (opt !== undefined) {
    const scopePrefixLength = zone?.isTailored === true ? subnet?.sourcePrefixLength : 0;
    const options = subnet === undefined ? [] : [{ ...subnet, scopePrefixLength }];
    response.additionals = [Packet.Resource.EDNS(options, { udpPayloadSize: MAX_UDP_BYTES })];
  }
  const udpBytes = Math.max(PLAIN_UDP_BYTES, Math.min(MAX_UDP_BYTES, opt?.class ?? 0));
  return fit(response, isUdp ? udpBytes : MAX_TCP_BYTES);
}

/**
 * A DNS client (RFC 1035) over the codec of `dns2`. The runtime's own resolvers
 * tell NXDOMAIN, SERVFAIL and an empty answer apart by nothing, and a report
 * needs to.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { isIP, isIPv6 } from "node:net";
import { Packet, type Resource, UDPClient } from "dns2";
import type { DnsRecordType } from "../../contract/mod.ts";
import type { DnsAnswer, DnsLookup } from "./dns_lookup.ts";

const DNS_PORT = 53;
const RESPONSE_CODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"] as const;

/** Time for one exchange with one server. */
const TIMEOUT_MS = 2000;
/** Rounds over all servers. */
const ROUNDS = 2;
const MAX_SERVERS = 3;

export interface DnsServer {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
}

/**
 * Reads `address`, `address:port` or `[address]:port`.
 *
 * @throws {TypeError} where it is none of these.
 */
export function parseDnsServer(text: string): DnsServer {
  if (isIP(text) !== 0) return { address: text, port: DNS_PORT };
  const found = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text);
  const address = found?.[1] ?? found?.[2] ?? "";
  const port = Number(found?.[3] ?? DNS_PORT);
  if (isIP(address) === 0 || port < 1 || port > 65535) {
    throw new TypeError(
      `Can not use the DNS server "${text}": it must be an IP address with or without a port, ` +
        "such as 9.9.9.9 or [2620:fe::fe]:53",
    );
  }
  return { address, port };
}

/** Reads the name servers of a resolv.conf(5). */
export function parseResolvConf(text: string): DnsServer[] {
  const servers = [...text.matchAll(/^[ \t]*nameserver[ \t]+([^\s#;]+)/gm)]
    .map((found) => found[1]!)
    .filter((address) => isIP(address) !== 0);
  return servers.slice(0, MAX_SERVERS).map((address) => ({ address, port: DNS_PORT }));
}

/** The name servers of this machine; none where it does not tell. */
export async function systemDnsServers(): Promise<DnsServer[]> {
  try {
    return parseResolvConf(await Deno.readTextFile("/etc/resolv.conf"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

const withoutDot = (name: string): string => name.replace(/\.$/, "").toLowerCase();

function valueOf(resource: Resource, type: DnsRecordType): string {
  switch (type) {
    case "TXT":
      return [resource.data ?? ""].flat().join("");
    case "CNAME":
      return withoutDot(resource.domain ?? "");
    default:
      return resource.address ?? "";
  }
}

function readAnswer(response: Packet, type: DnsRecordType): DnsAnswer {
  const code = RESPONSE_CODES[response.header.rcode] ?? `RCODE ${response.header.rcode}`;
  if (code === "NXDOMAIN") return { type: "missing", reason: code };
  if (code !== "NOERROR") return { type: "failed", reason: code };
  const values = response.answers
    .filter((resource) => resource.type === Packet.TYPE[type])
    .map((resource) => valueOf(resource, type));
  return values.length === 0 ? { type: "missing", reason: "NODATA" } : { type: "found", values };
}

async function readFully(connection: Deno.Conn, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length;) {
    const read = await connection.read(bytes.subarray(offset));
    if (read === null) throw new Deno.errors.UnexpectedEof("The name server hung up");
    offset += read;
  }
  return bytes;
}

export interface DnsClientOptions {
  /** Where missing, the machine's own servers, read at each look-up. */
  readonly servers?: readonly DnsServer[];
  /** Time for one exchange with one server, in milliseconds; 2000 where missing. */
  readonly timeoutMs?: number;
}

/** Asks recursive name servers, one after the other, twice. */
export class DnsClient implements DnsLookup {
  private readonly timeoutMs: number;

  constructor(private readonly options: DnsClientOptions = {}) {
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  async lookup(name: string, type: DnsRecordType): Promise<DnsAnswer> {
    const servers = this.options.servers ?? await systemDnsServers();
    if (servers.length === 0) return { type: "failed", reason: "NO NAME SERVER KNOWN" };
    let last: DnsAnswer = { type: "failed", reason: "TIMEOUT" };
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of servers) {
        last = await this.ask(server, name, type);
        if (last.type !== "failed") return last;
      }
    }
    return last;
  }

  private async ask(server: DnsServer, name: string, type: DnsRecordType): Promise<DnsAnswer> {
    try {
      const response = await this.askByUdp(server, name, type);
      const whole = response.header.tc ? await this.askByTcp(server, name, type) : response;
      return readAnswer(whole, type);
    } catch (error) {
      const timedOut = error instanceof Error && "code" in error && error.code === "ETIMEDOUT";
      return { type: "failed", reason: timedOut ? "TIMEOUT" : "NO USABLE ANSWER" };
    }
  }

  private askByUdp(
    { address, port }: DnsServer,
    name: string,
    type: DnsRecordType,
  ): Promise<Packet> {
    const resolve = UDPClient({
      dns: address,
      port,
      socketType: isIPv6(address) ? "udp6" : "udp4",
      timeout: this.timeoutMs,
      retryOverTCP: false,
    });
    return resolve(name, type);
  }

  /** Messages over TCP have their length in front (RFC 1035, 4.2.2). */
  private async askByTcp(
    { address, port }: DnsServer,
    name: string,
    type: DnsRecordType,
  ): Promise<Packet> {
    const connection = await Deno.connect({ hostname: address, port });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      connection.close();
    }, this.timeoutMs);
    try {
      const query = new Packet();
      query.header.id = Packet.uuid();
      query.header.rd = 1;
      query.questions.push(new Packet.Question(name, Packet.TYPE[type], Packet.CLASS.IN));
      const message = query.toBuffer();
      const writer = connection.writable.getWriter();
      await writer.write(Uint8Array.of(message.length >> 8, message.length & 0xff, ...message));
      writer.releaseLock();
      const [high = 0, low = 0] = await readFully(connection, 2);
      const response = Packet.parse(Buffer.from(await readFully(connection, high << 8 | low)));
      if (response.header.id !== query.header.id) throw new TypeError("The answer has another id");
      return response;
    } catch (error) {
      throw timedOut ? Object.assign(new Error("Timed out"), { code: "ETIMEDOUT" }) : error;
    } finally {
      clearTimeout(timer);
      if (!timedOut) connection.close();
    }
  }
}

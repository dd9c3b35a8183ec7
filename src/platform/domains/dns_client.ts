/**
 * A DNS client (RFC 1035) based on the codec from `dns2`. Unlike the runtime's own resolvers, this
 * client distinguishes between NXDOMAIN, SERVFAIL and an empty response, because reports need the
 * difference.
 *
 * @module
 */
import { isIP } from "node:net";
import { Packet, type Resource } from "dns2";
import { ifMissing } from "../../lib/missing_files.ts";
import { canonicalAddress } from "./address_text.ts";
import { askByTcp, askByUdp, type DnsServer, DnsTimeoutError, makeQuery } from "./dns_exchange.ts";
import type { DnsAnswer, DnsLookup, LookupType } from "./dns_lookup.ts";

const DNS_PORT = 53;
const RESPONSE_CODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"] as const;

/** Time limit for one exchange with one server, in milliseconds. */
const TIMEOUT_MS = 2000;
/** How many times to try all servers. */
const ROUNDS = 2;
const MAX_SERVERS = 3;

/** Reads `address`, `address:port` or `[address]:port`. @throws {TypeError} */
export function parseDnsServer(text: string): DnsServer {
  if (isIP(text) !== 0) return { address: canonicalAddress(text), port: DNS_PORT };
  const found = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text);
  const address = found?.[1] ?? found?.[2] ?? "";
  const port = Number(found?.[3] ?? DNS_PORT);
  if (isIP(address) === 0 || port < 1 || port > 65535) {
    throw new TypeError(
      `Cannot use the DNS server "${text}": it must be an IP address with or without a port, ` +
        "such as 9.9.9.9 or [2620:fe::fe]:53",
    );
  }
  return { address: canonicalAddress(address), port };
}

export function parseResolvConf(text: string): DnsServer[] {
  const servers = [...text.matchAll(/^[ \t]*nameserver[ \t]+([^\s#;]+)/gm)]
    .map((found) => found[1]!)
    .filter((address) => isIP(address) !== 0);
  return servers.slice(0, MAX_SERVERS).map((address) => ({
    address: canonicalAddress(address),
    port: DNS_PORT,
  }));
}

/** Reads this machine's name servers; empty if they are unknown. */
async function systemDnsServers(): Promise<DnsServer[]> {
  return parseResolvConf(await Deno.readTextFile("/etc/resolv.conf").catch(ifMissing) ?? "");
}

const withoutDot = (name: string): string => name.replace(/\.$/, "").toLowerCase();

function valueOf(resource: Resource, type: LookupType): string {
  switch (type) {
    case "TXT":
      return [resource.data ?? ""].flat().join("");
    case "CNAME":
      return withoutDot(resource.domain ?? "");
    case "NS":
      return withoutDot(resource.ns ?? "");
    case "CAA":
      return `${resource.flags} ${resource.tag} "${resource.value}"`;
    default:
      return resource.address ?? "";
  }
}

function readAnswer(response: Packet, type: LookupType): DnsAnswer {
  const code = RESPONSE_CODES[response.header.rcode] ?? `RCODE ${response.header.rcode}`;
  if (code === "NXDOMAIN") return { type: "missing", reason: code };
  if (code !== "NOERROR") return { type: "failed", reason: code };
  const values = response.answers
    .filter((resource) => resource.type === Packet.TYPE[type])
    .map((resource) => valueOf(resource, type));
  return values.length === 0 ? { type: "missing", reason: "NODATA" } : { type: "found", values };
}

interface DnsClientOptions {
  /** The servers to query; by default, the machine's own, which are read at each lookup. */
  readonly servers?: readonly DnsServer[];
  /** Time limit for one exchange with one server, in milliseconds; 2000 by default. */
  readonly timeoutMs?: number;
}

/** Queries recursive name servers one after the other, in two rounds. */
export class DnsClient implements DnsLookup {
  readonly #timeoutMs: number;

  readonly #options: DnsClientOptions;

  constructor(options: DnsClientOptions = {}) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  async lookup(name: string, type: LookupType): Promise<DnsAnswer> {
    const servers = this.#options.servers ?? await systemDnsServers();
    if (servers.length === 0) return { type: "failed", reason: "NO NAME SERVER KNOWN" };
    let last: DnsAnswer = { type: "failed", reason: "TIMEOUT" };
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of servers) {
        last = await this.#ask(server, name, type);
        if (last.type !== "failed") return last;
      }
    }
    return last;
  }

  async #ask(server: DnsServer, name: string, type: LookupType): Promise<DnsAnswer> {
    const query = makeQuery(name, type);
    try {
      const answer = await askByUdp(server, query, this.#timeoutMs);
      const whole = answer.header.tc ? await askByTcp(server, query, this.#timeoutMs) : answer;
      return readAnswer(whole, type);
    } catch (error) {
      const reason = error instanceof DnsTimeoutError ? "TIMEOUT" : "NO USABLE ANSWER";
      return { type: "failed", reason };
    }
  }
}

/**
 * @module Finds the client behind trusted proxies.
 *
 * Only the connection's address is certain. The addresses in a header are trusted only if trusted
 * proxies have written them. The chain is read from the right, and the first address that is not a
 * trusted proxy is the client. Everything to the left of the client is ignored.
 */
import type { RequestFields } from "../messages/header_list.ts";
import { IpBlockSet, parseCidr, parseIp } from "../../rules/mod.ts";

/**
 * The header in which the trusted proxies write the chain of addresses. Only one header is read,
 * because a proxy that writes one such header forwards any other exactly as the client sent it.
 */
export type ForwardedHeader = "x-forwarded-for" | "forwarded";

/** Maximum number of hops that are read. In a longer chain, only the last hops are read. */
const MAX_HOPS = 32;

/** Removes the port, brackets and quotes that proxies add to an address. */
function bareAddress(text: string): string {
  const unquoted = text.trim().replace(/^"(.*)"$/, "$1");
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(unquoted);
  if (bracketed !== null) return bracketed[1]!;
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(unquoted)
    ? unquoted.slice(0, unquoted.indexOf(":"))
    : unquoted;
}

/** Returns the `for` parameter of one element of `Forwarded` (RFC 7239, 4). */
function forwardedFor(element: string): string {
  return /(?:^|;)[ \t]*for=("[^"]*"|[^;,\s]*)/i.exec(element)?.[1] ?? "";
}

/** Returns the addresses of a chain, with the nearest one last. */
function chainOf(value: string, header: ForwardedHeader): readonly string[] {
  const elements = value.split(",").slice(-MAX_HOPS);
  return elements.map((element) =>
    bareAddress(header === "forwarded" ? forwardedFor(element) : element)
  );
}

export class TrustedProxies {
  readonly #blocks: IpBlockSet;
  readonly #header: ForwardedHeader;

  /**
   * @throws {TypeError} If an entry is not an address or CIDR
   */
  constructor(cidrs: readonly string[], header: ForwardedHeader = "x-forwarded-for") {
    this.#header = header;
    this.#blocks = new IpBlockSet(cidrs.map((cidr) => {
      const block = parseCidr(cidr);
      if (block !== undefined) return block;
      throw new TypeError(
        `A trusted proxy must be an IP address or a CIDR such as 10.0.0.0/8, but is "${cidr}"`,
      );
    }));
  }

  /** Returns whether the machine with a given address is a trusted proxy. */
  trusts(address: string): boolean {
    const ip = parseIp(address);
    return ip !== undefined && this.#blocks.has(ip);
  }

  /**
   * Returns the client's address for a request from a trusted proxy. The search stops at a hop that
   * is not an address (`unknown`, or garbage), and the proxy that reported this hop counts as the
   * client.
   */
  clientAddress(proxyAddress: string, request: RequestFields): string {
    const value = request.header(this.#header);
    if (value === null) return proxyAddress;
    const chain = chainOf(value, this.#header);
    let client = proxyAddress;
    for (let index = chain.length - 1; index >= 0; index--) {
      const hop = chain[index]!;
      if (parseIp(hop) === undefined) return client;
      client = hop;
      if (!this.trusts(hop)) return client;
    }
    return client;
  }
}

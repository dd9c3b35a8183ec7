/**
 * The client of a request, as limits and the audit log need it.
 *
 * @module
 */
import Bowser from "bowser";
import { TrustedProxies } from "../../../edge/mod.ts";

export interface Client {
  /** IP address; a proxy's word on it counts only if the operator trusts the proxy. */
  readonly address: string;
  readonly userAgent: string | null;
  /** The `Cookie` field as it came. */
  readonly cookie: string | null;
  /** ISO 3166-1 alpha-2 code of the address; null where unknown. Looked up when called. */
  country(): string | null;
}

/** Most characters that are kept of a `User-Agent`. */
const MAX_AGENT = 200;

export interface ClientOptions {
  readonly trustProxy: readonly string[];
  country(address: string): string | undefined;
}

/**
 * Makes the function that finds the client of a request.
 *
 * @throws {TypeError} where an entry of `trustProxy` is not a CIDR.
 */
export function clientFinder(
  options: ClientOptions,
): (request: Request, socketAddress: string) => Client {
  const proxies = new TrustedProxies(options.trustProxy);
  return (request, socketAddress) => {
    const fields = { header: (name: string) => request.headers.get(name) };
    const address = proxies.trusts(socketAddress)
      ? proxies.clientAddress(socketAddress, fields)
      : socketAddress;
    return {
      address,
      userAgent: request.headers.get("user-agent")?.slice(0, MAX_AGENT) ?? null,
      cookie: request.headers.get("cookie"),
      country: () => options.country(address) ?? null,
    };
  };
}

/**
 * What limits count a client by: its IPv4 address, or the /64 network of its
 * IPv6 address, as whoever has one address of such a network has all of them
 * (RFC 6177).
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(gap).fill("0"), ...right];
  return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}

/** A short name for a browser, such as "Firefox on Linux", or what a tool calls itself. */
export function agentName(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "Unknown client";
  const { browser, os } = Bowser.parse(userAgent);
  if (browser.name === undefined || os.name === undefined) return userAgent.slice(0, 60);
  return `${browser.name} on ${os.name}`;
}

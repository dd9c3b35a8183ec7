/** The client that sent a request, for limits and the audit log. @module */
import Bowser from "bowser";
import { TrustedProxies } from "../../../edge/mod.ts";

export interface Client {
  /** The IP address. A value from a proxy counts only if the operator trusts the proxy. */
  readonly address: string;
  readonly userAgent: string | null;
  /** The `Cookie` field, unchanged. */
  readonly cookie: string | null;
  /**
   * Looks up the ISO 3166-1 alpha-2 country code for the address. Returns null if it is unknown.
   */
  country(): string | null;
}

const MAX_AGENT = 200;

export interface ClientOptions {
  readonly trustProxy: readonly string[];
  country(address: string): string | undefined;
}

/** @throws {TypeError} if an entry in `trustProxy` is not a CIDR range. */
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

/** Returns a short name for a browser, such as "Firefox on Linux", or a CLI's own name. */
export function agentName(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "Unknown client";
  const { browser, os } = Bowser.parse(userAgent);
  if (browser.name === undefined || os.name === undefined) return userAgent.slice(0, 60);
  return `${browser.name} on ${os.name}`;
}

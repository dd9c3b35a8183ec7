/** @module Hostnames that a server uses to reach itself and its platform. */
import dns from "node:dns";
import process from "node:process";

/** The sandbox redirects connections to this address. */
export const OWN_ADDRESS = "127.0.0.1";

/** Returns true for names that always mean this machine (RFC 6761, 6.3). */
const isLocal = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

export class OwnHosts {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /**
   * Returns whether to resolve a name here. In the sandbox, no name server knows the address of
   * such a name.
   */
  resolves(hostname: string): boolean {
    const name = hostname.toLowerCase();
    return name !== "localhost" && (this.#names.has(name) || isLocal(name));
  }

  /** Returns whether requests to a host (name or address) reach this server or its platform. */
  includes(hostname: string): boolean {
    const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
    return this.#names.has(name) || isLocal(name) || name === "::1" || name === "0.0.0.0" ||
      /^127(?:\.\d{1,3}){3}$/.test(name);
  }
}

type Lookup = (this: unknown, ...args: unknown[]) => unknown;

const asksForAll = (options: unknown): boolean =>
  typeof options === "object" && options !== null && Reflect.get(options, "all") === true;

/**
 * Makes `node:dns` resolve the server's own hosts to the loopback address, and passes on other
 * names.
 */
export function findOwnHosts(own: OwnHosts): void {
  const found = { address: OWN_ADDRESS, family: 4 };
  const { lookup } = dns as unknown as { lookup: Lookup };
  Reflect.set(dns, "lookup", function (this: unknown, ...args: unknown[]) {
    const [name, options] = args;
    const callback = args.at(-1);
    if (typeof name !== "string" || typeof callback !== "function" || !own.resolves(name)) {
      return lookup.apply(this, args);
    }
    process.nextTick(
      () => asksForAll(options) ? callback(null, [found]) : callback(null, OWN_ADDRESS, 4),
    );
    return {};
  });
  const { lookup: promised } = dns.promises as unknown as { lookup: Lookup };
  Reflect.set(dns.promises, "lookup", function (this: unknown, ...args: unknown[]) {
    const [name, options] = args;
    if (typeof name !== "string" || !own.resolves(name)) return promised.apply(this, args);
    return Promise.resolve(asksForAll(options) ? [found] : found);
  });
}

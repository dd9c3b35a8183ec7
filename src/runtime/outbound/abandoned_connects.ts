/**
 * Connections that nobody waits for any more and that the runtime goes on
 * opening: a TLS handshake can not be ended from outside, and a server that
 * never answers (a tarpit) keeps it, and its file descriptor, for ever. They
 * are counted, and where they are too many, no more are begun.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

/** Most strays of one network. */
const MAX_OF_NETWORK = 16;

/** Most strays of all; from then on only networks are asked that have answered before. */
const MAX_STRAYS = 256;

/** Networks that are remembered to have answered. */
const MAX_KNOWN = 4096;

/** An IPv6 client has a /64 of its own (RFC 4291, 2.5.1), an IPv4 client an address. */
const IPV6_NETWORK_BYTES = 8;

function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, IPV6_NETWORK_BYTES).join(".");
}

export class AbandonedConnects {
  readonly #strays = new Map<string, number>();
  readonly #known = new Set<string>();
  #total = 0;

  /** Openings that go on though nobody waits. */
  get size(): number {
    return this.#total;
  }

  /** Whether a connection to the address may be begun. */
  allows(address: string): boolean {
    const network = networkOf(address);
    if ((this.#strays.get(network) ?? 0) >= MAX_OF_NETWORK) return false;
    return this.#total < MAX_STRAYS || this.#known.has(network);
  }

  /** Takes note of an opening that was given up; returns what to call when it has settled. */
  add(address: string): () => void {
    const network = networkOf(address);
    this.#total++;
    this.#strays.set(network, (this.#strays.get(network) ?? 0) + 1);
    return () => {
      this.#total--;
      const left = this.#strays.get(network)! - 1;
      if (left === 0) this.#strays.delete(network);
      else this.#strays.set(network, left);
    };
  }

  /** A connection to the address has been opened. */
  answered(address: string): void {
    const network = networkOf(address);
    if (this.#known.has(network)) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(network);
  }
}

/**
 * @module Counts abandoned connection attempts, which the runtime continues although no one waits
 * for them. A TLS handshake cannot be cancelled from outside, and an unresponsive server (a tarpit)
 * keeps the handshake and its file descriptor open forever. While there are too many such attempts,
 * new connections wait until some have settled. A healthy server settles them in a moment, so
 * visitors who leave do not cause errors for others.
 */
import ipaddr from "ipaddr.js";

/** Maximum number of abandoned attempts per network. */
const MAX_OF_NETWORK = 16;

/**
 * Maximum number of abandoned attempts in total. Beyond that, only networks that have responded
 * before are tried.
 */
const MAX_ABANDONED = 256;

/** Maximum number of networks to remember as having responded. */
const MAX_KNOWN = 4096;

/**
 * An IPv6 host can have a whole /64 network (RFC 4291, 2.5.1), whereas an IPv4 host has a single
 * address.
 */
const IPV6_NETWORK_BYTES = 8;

function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, IPV6_NETWORK_BYTES).join(".");
}

export class AbandonedConnects {
  readonly #abandoned = new Map<string, number>();
  readonly #known = new Set<string>();
  #total = 0;
  /** Wakes the connections that wait for an attempt to settle. */
  readonly #waiting = new Set<() => void>();

  /** Number of attempts that are still running although no one waits for them. */
  get size(): number {
    return this.#total;
  }

  /**
   * Returns the addresses to which a connection can be started. While there are none, waits for
   * attempts to settle. Returns an empty list once `signal` is aborted.
   */
  async allowed(addresses: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    while (!signal.aborted) {
      const allowed = addresses.filter((address) => this.#allows(address));
      if (allowed.length > 0) return allowed;
      await this.#settled(signal);
    }
    return [];
  }

  async #settled(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(resolve);
  }

  #allows(address: string): boolean {
    const network = networkOf(address);
    if ((this.#abandoned.get(network) ?? 0) >= MAX_OF_NETWORK) return false;
    return this.#total < MAX_ABANDONED || this.#known.has(network);
  }

  /** Counts an abandoned attempt. Call the returned function when the attempt has settled. */
  add(address: string): () => void {
    const network = networkOf(address);
    this.#total++;
    this.#abandoned.set(network, (this.#abandoned.get(network) ?? 0) + 1);
    return () => {
      this.#total--;
      const left = this.#abandoned.get(network)! - 1;
      if (left === 0) this.#abandoned.delete(network);
      else this.#abandoned.set(network, left);
      for (const wake of this.#waiting) wake();
    };
  }

  /** Records that a connection to the address has been opened. */
  answered(address: string): void {
    const network = networkOf(address);
    if (this.#known.has(network)) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(network);
  }
}

/**
 * Tracks when the authority wants certificates to be renewed (RFC 9773), for example before it
 * revokes them.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { Lease } from "../../store/mod.ts";
import type { Issuer } from "./acme_issuer.ts";

/** Number of seconds until the authority is asked again (RFC 9773, 4.3). */
const ASK_AGAIN = { min: 60, usual: 6 * 3600, max: 24 * 3600 };

export class RenewalTimes {
  /** When to ask the authority again about a certificate (PEM). */
  readonly #asksAt = new Map<string, number>();

  readonly #issuer: Issuer;
  readonly #now: Clock;

  constructor(issuer: Issuer, now: Clock) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /**
   * Picks a moment in the authority's renewal window, determined by `chance`, from 0 to 1. Returns
   * `undefined` if there is no window, or if the authority was asked recently.
   */
  async ask(
    chain: string,
    { lease, chance }: { readonly lease: Lease; readonly chance: number },
  ): Promise<number | undefined> {
    const now = this.#now();
    if ((this.#asksAt.get(chain) ?? 0) > now) return undefined;
    this.#asksAt.set(chain, now + ASK_AGAIN.usual * 1000);
    const window = await this.#issuer.renewalWindow(chain, lease);
    const { min, usual, max } = ASK_AGAIN;
    const again = window === undefined
      ? max
      : Math.min(Math.max(window.retryAfter || usual, min), max);
    this.#asksAt.set(chain, now + again * 1000);
    return window && window.start + (window.end - window.start) * chance;
  }

  /** Drops certificates that are no longer in use. */
  keepOnly(chains: ReadonlySet<string>): void {
    for (const chain of this.#asksAt.keys()) if (!chains.has(chain)) this.#asksAt.delete(chain);
  }
}

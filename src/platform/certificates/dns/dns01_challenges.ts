/**
 * DNS-01 challenges (RFC 8555, 8.4): a TXT record proves control of a name and of all names below
 * it.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { DnsProvider } from "./dns_provider.ts";

/** Time between lookups of a record, and maximum time for all lookups, in milliseconds. */
const PAUSE_MS = 2000;
const PATIENCE_MS = 180_000;

/** The values of a name at each of the zone's name servers, or the reason why there are none. */
export type Seen = readonly (readonly string[] | string)[];

interface Dns01Options {
  readonly provider: DnsProvider;
  /** The target of the CNAME at `_acme-challenge.<domain>`, if there is one. */
  readonly alias?: string | undefined;
  /** Queries the name servers for the TXT records of a name. */
  readonly look: (name: string) => Promise<Seen>;
  /** Called with a message for the operator about a record that could not be removed. */
  readonly onTrouble: (message: string) => void;
  readonly pauseMs?: number;
  readonly patienceMs?: number;
}

export class Dns01Challenges {
  readonly #options: Dns01Options;

  constructor(options: Dns01Options) {
    this.#options = options;
  }

  /**
   * Publishes the proof for a domain. Resolves when all of the domain's name servers have the
   * proof.
   *
   * @throws {Error} with the expected record and what was found
   */
  async add(domain: string, value: string): Promise<void> {
    const { provider, pauseMs = PAUSE_MS, patienceMs = PATIENCE_MS } = this.#options;
    const name = this.#nameFor(domain);
    await provider.addTxt(name, value);
    const until = performance.now() + patienceMs;
    for (;;) {
      const seen = await this.#options.look(name);
      if (isPublished(seen, value)) return;
      if (performance.now() > until) {
        throw new Error(`Expected TXT ${name} to be "${value}"; ${describeSeen(seen)}`);
      }
      await delay(pauseMs);
    }
  }

  /** Removes a proof. A leftover proof does no harm. */
  async remove(domain: string, value: string): Promise<void> {
    const name = this.#nameFor(domain);
    try {
      await this.#options.provider.removeTxt(name, value);
    } catch (error) {
      this.#options.onTrouble(`Cannot remove the TXT record "${value}" from ${name}: ${error}`);
    }
  }

  #nameFor(domain: string): string {
    return this.#options.alias ?? `_acme-challenge.${domain}`;
  }
}

/** Returns whether every responding server has the value. */
function isPublished(seen: Seen, value: string): boolean {
  const answers = seen.filter((each) => typeof each !== "string");
  return answers.length > 0 && answers.every((values) => values.includes(value));
}

export function describeSeen(seen: Seen): string {
  if (seen.length === 0) return "no name server of its zone was found";
  const texts = seen.map((each) => {
    if (typeof each === "string") return each;
    return each.length === 0 ? "nothing" : each.map((value) => `"${value}"`).join(", ");
  });
  return `saw ${[...new Set(texts)].join("; ")}`;
}

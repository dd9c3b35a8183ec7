/**
 * @module Maps the custom hostnames of verified domains to their sites, in memory. These maps do
 * not slow down hosts below the base domain, which are looked up first.
 */
import type { DomainBinding, DomainRoute, FeedMessage } from "../../feed/mod.ts";

const WILDCARD = "*.";

export class DomainHosts {
  readonly #exact = new Map<string, DomainRoute>();
  readonly #wildcards = new Map<string, DomainRoute>();
  readonly #redirects = new Map<string, string>();
  readonly #zones = new Map<string, readonly DomainBinding[]>();

  /**
   * Returns the route for a hostname in canonical form. An exact name takes precedence over a
   * wildcard.
   */
  find(hostname: string): DomainRoute | undefined {
    const exact = this.#exact.get(hostname);
    if (exact !== undefined || this.#wildcards.size === 0) return exact;
    return this.#wildcards.get(hostname.slice(hostname.indexOf(".") + 1));
  }

  redirectOf(hostname: string): string | undefined {
    return this.#redirects.size === 0 ? undefined : this.#redirects.get(hostname);
  }

  /** Whether a name has its own binding, rather than being covered by a wildcard. */
  has(hostname: string): boolean {
    return this.#exact.has(hostname);
  }

  /**
   * Returns all names with their own binding. Names that are only covered by a wildcard are not
   * included.
   */
  names(): IterableIterator<string> {
    return this.#exact.keys();
  }

  /** Returns the hostnames of a zone that have a site. */
  namesOf(zone: string): ReadonlySet<string> {
    return new Set(this.#zones.get(zone)?.map(({ hostname }) => hostname));
  }

  /** Returns the zones that contain hostnames of a project. */
  zonesOf(projectId: string): string[] {
    return [...this.#zones]
      .filter(([, bindings]) => bindings.some(({ route }) => route.projectId === projectId))
      .map(([zone]) => zone);
  }

  /** Returns all zones in which at least one hostname has a site. */
  zones(): string[] {
    return [...this.#zones.keys()];
  }

  /** Yields the current state of all zones, as messages for other nodes. */
  *current(): Generator<FeedMessage> {
    for (const [zone, bindings] of this.#zones) yield { type: "zone_replaced", zone, bindings };
  }

  replaceZone(zone: string, bindings: readonly DomainBinding[]): void {
    for (const { hostname } of this.#zones.get(zone) ?? []) {
      if (hostname.startsWith(WILDCARD)) this.#wildcards.delete(hostname.slice(WILDCARD.length));
      else this.#exact.delete(hostname);
      this.#redirects.delete(hostname);
    }
    for (const { hostname, route } of bindings) {
      const isWildcard = hostname.startsWith(WILDCARD);
      if (isWildcard) this.#wildcards.set(hostname.slice(WILDCARD.length), route);
      else this.#exact.set(hostname, route);
      if (route.redirectTo !== null) this.#redirects.set(hostname, route.redirectTo);
    }
    if (bindings.length === 0) this.#zones.delete(zone);
    else this.#zones.set(zone, bindings);
  }
}

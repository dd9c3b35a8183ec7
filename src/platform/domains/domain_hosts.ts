/**
 * Which custom hostname shows what, kept in memory. Only verified domains are
 * included. Hosts below the base domain are looked up first, so these maps cost
 * other requests nothing.
 *
 * @module
 */
import type { DomainRecord } from "./domain.ts";
import { isWildcard, parentOfWildcard } from "./domain_name.ts";

export interface DomainRoute {
  readonly projectId: string;
  readonly environment: string;
  /** Host that always shows the environment's latest deployment. */
  readonly host: string;
  readonly redirectTo: string | null;
}

interface Binding {
  readonly domain: DomainRecord;
  readonly route: DomainRoute;
}

export class DomainHosts {
  private readonly exact = new Map<string, DomainRoute>();
  private readonly wildcards = new Map<string, DomainRoute>();
  private readonly redirects = new Map<string, string>();
  private readonly zones = new Map<string, readonly Binding[]>();

  /** The route of a hostname in canonical form; an exact name wins over a wildcard. */
  find(hostname: string): DomainRoute | undefined {
    const exact = this.exact.get(hostname);
    if (exact !== undefined || this.wildcards.size === 0) return exact;
    return this.wildcards.get(hostname.slice(hostname.indexOf(".") + 1));
  }

  /** The hostname that visitors of a hostname are redirected to. */
  redirectOf(hostname: string): string | undefined {
    return this.redirects.size === 0 ? undefined : this.redirects.get(hostname);
  }

  /** True for a name that is bound itself, not by a wildcard. */
  has(hostname: string): boolean {
    return this.exact.has(hostname);
  }

  /** All names that are bound themselves, not by wildcards. */
  names(): IterableIterator<string> {
    return this.exact.keys();
  }

  /** The zones in which a project has served names. */
  zonesOf(projectId: string): string[] {
    return [...this.zones]
      .filter(([, bindings]) => bindings.some(({ route }) => route.projectId === projectId))
      .map(([zone]) => zone);
  }

  /** Replaces all that a zone shows. */
  replaceZone(zone: string, bindings: readonly Binding[]): void {
    for (const { domain: { hostname } } of this.zones.get(zone) ?? []) {
      if (isWildcard(hostname)) this.wildcards.delete(parentOfWildcard(hostname));
      else this.exact.delete(hostname);
      this.redirects.delete(hostname);
    }
    for (const { domain: { hostname }, route } of bindings) {
      if (isWildcard(hostname)) this.wildcards.set(parentOfWildcard(hostname), route);
      else this.exact.set(hostname, route);
      if (route.redirectTo !== null) this.redirects.set(hostname, route.redirectTo);
    }
    if (bindings.length === 0) this.zones.delete(zone);
    else this.zones.set(zone, bindings);
  }
}

/**
 * Publishes DNS-01 challenges (RFC 8555, 8.4).
 *
 * @module
 */

/** A service that hosts a zone and lets the platform add TXT records. */
export interface DnsProvider {
  /**
   * Adds a value to a name's TXT records. Resolves when the service has accepted the value.
   *
   * @throws {Error} with the service's message
   */
  addTxt(name: string, value: string): Promise<void>;
  /** Removes a value. Does nothing if the value does not exist. */
  removeTxt(name: string, value: string): Promise<void>;
}

/** How long resolvers may cache a challenge, in seconds. */
export const CHALLENGE_TTL = 60;

/** No zone in the account contains the name. */
export class NoZoneError extends Error {
  override readonly name = "NoZoneError";
  constructor(provider: string, name: string) {
    super(`No zone in the account at ${provider} contains ${name}`);
  }
}

/** Returns the zones that could contain a name, longest first: `a.b.c`, then `b.c`. */
export function possibleZones(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
}

/**
 * Adapts a service that can only write all values of a name together. `change` edits the quoted
 * values.
 */
export const editingProvider = (
  change: (name: string, edit: (values: readonly string[]) => string[]) => Promise<void>,
): DnsProvider => ({
  addTxt: (name, value) =>
    change(name, (values) => [...values.filter((each) => each !== `"${value}"`), `"${value}"`]),
  removeTxt: (name, value) =>
    change(name, (values) => values.filter((each) => each !== `"${value}"`)),
});

/** Returns the part of a name before the name's zone, or "" for the zone itself. */
export const belowZone = (name: string, zone: string): string =>
  name === zone ? "" : name.slice(0, -zone.length - 1);

/**
 * Decides which certificates to order next, and which names share a certificate. Pure.
 *
 * @module
 */
import type { CertificateRecord } from "./certificate.ts";

/** Maximum number of names in one certificate. Authorities allow 100 names. */
const MAX_NAMES = 50;
/**
 * Number of names up to which other hosts are added to a certificate that a client is waiting for.
 * More names would take longer, because names are validated one after another.
 */
const MAX_ASKED = 5;

/**
 * Maximum number of on-demand certificates per week. Let's Encrypt issues at most 50 per registered
 * domain.
 */
const MAX_PER_WEEK = 40;
const HOUR_MS = 60 * 60_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/**
 * Pause between an on-demand certificate and the next one that no client is waiting for, in
 * milliseconds.
 */
const PAUSE_MS = 6 * HOUR_MS;

export interface Known {
  readonly records: ReadonlyMap<string, CertificateRecord>;
  readonly onDemand: (hostname: string) => boolean;
  readonly now: number;
}

/** Returns when the latest on-demand certificate was issued. */
function lastIssued({ records, onDemand }: Known): number {
  let last = -Infinity;
  for (const [hostname, { issued }] of records) {
    if (issued !== null && issued.notBefore > last && onDemand(hostname)) last = issued.notBefore;
  }
  return last;
}

function inBatches(names: readonly string[]): (readonly string[])[] {
  const batches: (readonly string[])[] = [];
  for (let at = 0; at < names.length; at += MAX_NAMES) {
    batches.push(names.slice(at, at + MAX_NAMES));
  }
  return batches;
}

/**
 * Returns the orders that are due, each as a list of names. `names` have separate certificates.
 * `hosts` share certificates until an order fails, because authorities limit the number of
 * certificates per registered domain, but not the number of names in each. The orders are sorted:
 * hosts that a client is waiting for (together with some others), separate certificates, renewals.
 * The remaining hosts without a certificate follow only if no client is waiting, six hours after
 * the last on-demand certificate.
 */
export function dueOrders(
  names: Iterable<string>,
  hosts: Iterable<string>,
  known: Known,
): readonly (readonly string[])[] {
  const { records, now } = known;
  const isDue = (hostname: string) => (records.get(hostname)?.dueAt ?? now) <= now;
  const alone = [...names].filter(isDue);
  const [asked, renewed, others]: [string[], string[], string[]] = [[], [], []];
  for (const hostname of hosts) {
    const record = records.get(hostname);
    if (!isDue(hostname)) continue;
    if (record === undefined) others.push(hostname);
    else if (record.failures > 0) alone.push(hostname);
    else if (record.issued === null) asked.push(hostname);
    else renewed.push(hostname);
  }
  const orders = alone.map((hostname) => [hostname]);
  if (asked.length > 0) {
    const first = [...asked, ...others.splice(0, Math.max(0, MAX_ASKED - asked.length))];
    return [...inBatches(first), ...orders, ...inBatches(renewed)];
  }
  const isPaused = lastIssued(known) > now - PAUSE_MS;
  return [...orders, ...inBatches(renewed), ...isPaused ? [] : inBatches(others)];
}

/** Returns whether another on-demand certificate would come too close to the authority's limit. */
export function isNearLimit({ records, onDemand, now }: Known): boolean {
  const chains = new Set<string>();
  for (const [hostname, { issued }] of records) {
    if (issued === null || issued.notBefore < now - WEEK_MS || !onDemand(hostname)) continue;
    chains.add(issued.chain);
  }
  return chains.size >= MAX_PER_WEEK;
}

export const NEAR_LIMIT =
  `${MAX_PER_WEEK} certificates were issued within a week, which is near the authority's limit. ` +
  "One wildcard certificate covers all hosts: start the platform with --acme-dns";

/**
 * Which certificates are ordered next, and together. Pure.
 *
 * @module
 */
import type { CertificateRecord } from "./certificate.ts";

/** Most names of one certificate: authorities allow 100. */
const MAX_NAMES = 50;

/** Certificates on demand within a week: Let's Encrypt issues 50 for a registered domain. */
const MAX_PER_WEEK = 40;
const WEEK_MS = 7 * 24 * 60 * 60_000;

export interface Known {
  readonly records: ReadonlyMap<string, CertificateRecord>;
  readonly onDemand: (hostname: string) => boolean;
  readonly now: number;
}

/**
 * The names of each order that is due. Names on demand share an order until one fails, as
 * authorities limit the certificates of a registered domain, and not their names.
 */
export function dueOrders(
  names: Iterable<string>,
  { records, onDemand, now }: Known,
): readonly (readonly string[])[] {
  const demanded = [...records.keys()].filter(onDemand);
  const shared: string[] = [];
  const orders: string[][] = [];
  for (const hostname of new Set([...names, ...demanded])) {
    const record = records.get(hostname);
    if (record !== undefined && record.dueAt > now) continue;
    if (record?.failures === 0 && onDemand(hostname)) shared.push(hostname);
    else orders.push([hostname]);
  }
  for (let at = 0; at < shared.length; at += MAX_NAMES) {
    orders.push(shared.slice(at, at + MAX_NAMES));
  }
  return orders;
}

/** Whether another certificate on demand would come near the limit of the authority. */
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

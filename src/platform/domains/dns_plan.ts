/** Decides which DNS records a domain needs. Pure. @module */
import { isIPv6 } from "node:net";
import type { DnsRecord } from "../../contract/domains.ts";
import type { DomainRecord, ZoneRecord } from "./domain.ts";
import { isWildcard } from "./domain_name.ts";

const CHALLENGE_LABEL = "_svc-challenge";
const TOKEN_PREFIX = "svc-verify=";

export interface RoutingTarget {
  /** The hostname that CNAME records point to. */
  readonly hostname: string;
  /** The platform's public IP addresses; empty if the operator has not specified any. */
  readonly addresses: readonly string[];
}

export function proofName(zone: string): string {
  return `${CHALLENGE_LABEL}.${zone}`;
}

export function proofValue(zone: ZoneRecord): string {
  return `${TOKEN_PREFIX}${zone.token}`;
}

/**
 * Returns whether a domain is the registrable domain itself, which cannot have a CNAME (RFC 1034,
 * 3.6.2).
 */
export function isApex({ hostname, zone }: Pick<DomainRecord, "hostname" | "zone">): boolean {
  return hostname === zone;
}

function routingRecords(domain: DomainRecord, target: RoutingTarget): DnsRecord[] {
  const base = { name: domain.hostname, purpose: "routing" as const };
  if (!isApex(domain)) return [{ ...base, type: "CNAME", value: target.hostname }];
  return target.addresses.map((value) => ({
    ...base,
    type: isIPv6(value) ? "AAAA" as const : "A" as const,
    value,
  }));
}

/** Returns the records to set for domains in one zone, starting with the proof. */
export function recordsToSet(
  domains: readonly DomainRecord[],
  context: { readonly zone: ZoneRecord; readonly target: RoutingTarget },
): DnsRecord[] {
  const { zone, target } = context;
  const proof: DnsRecord = {
    type: "TXT",
    name: proofName(zone.zone),
    value: proofValue(zone),
    purpose: "proof",
  };
  return [proof, ...domains.flatMap((domain) => routingRecords(domain, target))];
}

/** Returns additional notes about the records, as full sentences. */
export function notesOn(
  domains: readonly DomainRecord[],
  context: { readonly target: RoutingTarget; readonly acme: boolean },
): string[] {
  const { target, acme } = context;
  const notes: string[] = [];
  for (const domain of domains) {
    if (isApex(domain) && target.addresses.length === 0) {
      notes.push(
        `${domain.hostname} cannot have a CNAME: point it at the addresses of ` +
          `${target.hostname} with A and AAAA records, or with ALIAS or ANAME if your ` +
          "provider supports them",
      );
    }
    if (domain.redirectTo !== null) {
      notes.push(`${domain.hostname} redirects to ${domain.redirectTo}`);
    }
    if (acme && isWildcard(domain.hostname)) {
      notes.push(
        `No certificate for ${domain.hostname}: HTTP-01 does not support wildcards. Add single names, or start the platform with a wildcard certificate`,
      );
    }
  }
  return notes;
}

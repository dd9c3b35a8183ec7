/**
 * Looks up the DNS records of a domain.
 *
 * @module
 */
import type { DnsCheck } from "../../contract/domains.ts";
import type { DnsAnswer, DnsLookup } from "./dns_lookup.ts";
import { isApex, proofName, proofValue, type RoutingTarget } from "./dns_plan.ts";
import type { DomainRecord, ZoneRecord } from "./domain.ts";
import { judgeProof, judgeRouting } from "./judge_dns.ts";

const NOTHING: DnsAnswer = { type: "missing", reason: "NODATA" };

export interface ProofReport {
  readonly check: DnsCheck;
  readonly answer: DnsAnswer;
}

/** Looks up the proof of a zone, and also where a common mistake would have put it. */
export async function checkProof(dns: DnsLookup, zone: ZoneRecord): Promise<ProofReport> {
  const [name, expected] = [proofName(zone.zone), proofValue(zone)];
  const answer = await dns.lookup(name, "TXT");
  const doubled = answer.type === "missing"
    ? await dns.lookup(`${name}.${zone.zone}`, "TXT")
    : NOTHING;
  return { check: judgeProof({ name, expected, answer, doubled }), answer };
}

async function addressesOf(dns: DnsLookup, hostname: string): Promise<string[]> {
  const answers = await Promise.all([dns.lookup(hostname, "A"), dns.lookup(hostname, "AAAA")]);
  return answers.flatMap((answer) => answer.type === "found" ? answer.values : []);
}

/** Looks up where visitors of a domain arrive. */
export async function checkRouting(
  dns: DnsLookup,
  domain: DomainRecord,
  target: RoutingTarget,
): Promise<DnsCheck> {
  const { hostname } = domain;
  const [cname, a, aaaa, addresses] = await Promise.all([
    dns.lookup(hostname, "CNAME"),
    dns.lookup(hostname, "A"),
    dns.lookup(hostname, "AAAA"),
    target.addresses.length > 0 ? target.addresses : addressesOf(dns, target.hostname),
  ]);
  const apex = isApex(domain);
  return judgeRouting({ hostname, apex, target: target.hostname, addresses, cname, a, aaaa });
}

/**
 * Evaluates DNS lookups: compares the expected and found values of each record, and says what to
 * do. Pure.
 *
 * @module
 */
import type { DnsCheck } from "../../contract/domains.ts";
import { canonicalAddress } from "./address_text.ts";
import type { DnsAnswer } from "./dns_lookup.ts";

/**
 * Maximum number of a record's values to show in a report, and maximum length of each value in
 * characters.
 */
const MAX_SHOWN = 10;
const MAX_SHOWN_LENGTH = 300;

const valuesOf = (answer: DnsAnswer): readonly string[] =>
  answer.type === "found" ? answer.values : [];
const failureOf = (answer: DnsAnswer): string | null =>
  answer.type === "found" ? null : answer.reason;

/**
 * Returns the values to show in a report. Because anyone can control the values, only a few are
 * shown, shortened and without control characters.
 */
function printableValues(values: readonly string[]): string[] {
  return values.slice(0, MAX_SHOWN).map((value) =>
    // deno-lint-ignore no-control-regex -- matches control characters on purpose
    value.replace(/[\x00-\x1f\x7f-\x9f]/g, "\uFFFD").slice(0, MAX_SHOWN_LENGTH)
  );
}

const AGAIN = "Try again in a few minutes";

function failedHint(reason: string): string {
  switch (reason) {
    case "TIMEOUT":
      return `The name server did not respond in time. ${AGAIN}`;
    case "SERVFAIL":
      return "The name server failed (SERVFAIL). Check the domain's delegation and, if the domain is signed, DNSSEC";
    default:
      return `The lookup failed (${reason}). ${AGAIN}`;
  }
}

interface ProofFacts {
  readonly name: string;
  readonly expected: string;
  readonly answer: DnsAnswer;
  /** The response for the name with the zone repeated, which is a common mistake. */
  readonly doubled: DnsAnswer;
}

function proofHint({ name, expected, answer, doubled }: ProofFacts): string {
  if (answer.type === "failed") return failedHint(answer.reason);
  if (valuesOf(doubled).includes(expected)) {
    return "The record's name contains the domain twice. Enter the name without the domain, because your provider appends it";
  }
  if (answer.type === "missing") {
    return `Create the TXT record at ${name}. A new record can take minutes to appear`;
  }
  const bare = (value: string) => value.replace(/["'\s]/g, "").toLowerCase();
  if (answer.values.some((value) => bare(value) === bare(expected))) {
    return "The value is almost right. Enter it in lower case, without quotes or spaces";
  }
  return answer.values.length === 1
    ? "Set the expected value. An old record may still be cached until its TTL expires"
    : "Add a record with the expected value. Keep the others";
}

/** Checks the proof of control. Other TXT records are allowed in addition to the correct one. */
export function judgeProof(facts: ProofFacts): DnsCheck {
  const { name, expected, answer } = facts;
  const ok = valuesOf(answer).includes(expected);
  return {
    type: "TXT",
    name,
    purpose: "proof",
    ok,
    expected: [expected],
    seen: printableValues(valuesOf(answer)),
    failure: failureOf(answer),
    hint: ok ? null : proofHint(facts),
  };
}

export interface RoutingFacts {
  readonly hostname: string;
  readonly apex: boolean;
  /** The hostname that a CNAME should point to. */
  readonly target: string;
  /** The addresses that visitors should reach; empty if unknown. */
  readonly addresses: readonly string[];
  readonly cname: DnsAnswer;
  readonly a: DnsAnswer;
  readonly aaaa: DnsAnswer;
}

function routingHint(facts: RoutingFacts, found: readonly string[], strange: readonly string[]) {
  const { hostname, apex, target, cname, a, aaaa, addresses } = facts;
  const failed = [cname, a, aaaa].find((answer) => answer.type === "failed");
  const alias = valuesOf(cname)[0];
  const wanted = apex
    ? addresses.length > 0
      ? `Point ${hostname} at ${addresses.join(", ")}`
      : `Point ${hostname} at the addresses of ${target}`
    : `Set a CNAME at ${hostname} to ${target}`;
  if (alias !== undefined) {
    return `${wanted}. Its CNAME currently points at ${printableValues([alias])[0]}`;
  }
  if (found.length > 0 && addresses.length === 0) {
    return `${wanted}. The platform cannot check the addresses of ${hostname}, because ${target} has none and the platform's own public addresses are unknown`;
  }
  if (strange.length > 0 && strange.length < found.length) {
    return `Remove the records for ${strange.join(", ")}, because some visitors are routed there`;
  }
  if (strange.length > 0) return `${wanted}. It currently points at ${strange.join(", ")}`;
  if (failed?.type === "failed") return failedHint(failed.reason);
  return `${wanted}. It currently has no address`;
}

/**
 * Checks whether traffic reaches this platform, through a CNAME or IP addresses. If there is a
 * proxy in front, the records look wrong although routing works.
 */
export function judgeRouting(facts: RoutingFacts): DnsCheck {
  const { hostname, apex, target, addresses, cname, a, aaaa } = facts;
  const own = new Set(addresses.map(canonicalAddress));
  const found = [...valuesOf(a), ...valuesOf(aaaa)].map(canonicalAddress);
  const strange = found.filter((address) => !own.has(address));
  const named = valuesOf(cname).includes(target);
  const known = found.length > 0 && strange.length === 0;
  const ok = named || known;
  const failed = [cname, a, aaaa].find((answer) => answer.type === "failed");
  return {
    type: apex ? "A/AAAA" : "CNAME",
    name: hostname,
    purpose: "routing",
    ok,
    expected: apex && addresses.length > 0 ? [...addresses] : [target],
    seen: printableValues([...valuesOf(cname).map((name) => `CNAME ${name}`), ...found]),
    failure: found.length > 0 || named ? null : failureOf(failed ?? a),
    hint: ok ? null : routingHint(facts, found, strange),
  };
}

/**
 * DNS records and look-ups as people read them.
 *
 * @module
 */
import type { DnsCheck, DnsRecord } from "../../contract/mod.ts";
import { formatTable } from "../table.ts";

const NOTHING = "-";

/** The records to set, one per line. */
export function formatRecords(records: readonly DnsRecord[]): string {
  return formatTable(
    ["TYPE", "NAME", "VALUE", "PURPOSE"],
    records.map(({ type, name, value, purpose }) => [type, name, value, purpose]),
  );
}

/** Per record what was expected and what was seen. */
export function formatChecks(checks: readonly DnsCheck[]): string {
  return formatTable(
    ["TYPE", "NAME", "OK", "EXPECTED", "SEEN"],
    checks.map(({ type, name, ok, expected, seen, failure }) => [
      type,
      name,
      ok ? "yes" : "no",
      expected.length === 0 ? NOTHING : expected.join(" or "),
      seen.length === 0 ? failure ?? NOTHING : seen.join(", "),
    ]),
  );
}

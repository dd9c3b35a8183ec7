/** @module Formats DNS records and lookups as readable text. */
import type { DnsCheck, DnsRecord } from "../../contract/domains.ts";
import type { Ui } from "../terminal/ui.ts";

const NOTHING = "-";

/** Formats the records to set, one per line. */
export function formatRecords(ui: Ui, records: readonly DnsRecord[]): string {
  return ui.table(
    ["TYPE", "NAME", "VALUE", "PURPOSE"],
    records.map(({ type, name, value, purpose }) => [type, name, value, purpose]),
  );
}

/** Formats the expected and found values of each record. */
export function formatChecks(ui: Ui, checks: readonly DnsCheck[]): string {
  return ui.table(
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

/**
 * Looking up DNS records, as the rest of the room sees it.
 *
 * @module
 */
import type { DnsRecordType } from "../../contract/mod.ts";

export type DnsAnswer =
  | { readonly type: "found"; readonly values: readonly string[] }
  /** The name server says that there is none: no such name, or no record of the type. */
  | { readonly type: "missing"; readonly reason: "NXDOMAIN" | "NODATA" }
  /** No usable answer came, so nothing is known. */
  | { readonly type: "failed"; readonly reason: string };

export interface DnsLookup {
  /**
   * Asks for the records of a name. Host names come without final dot and in
   * lower case; the strings of a TXT record come joined (RFC 7208, 3.3). Never
   * rejects.
   */
  lookup(name: string, type: DnsRecordType): Promise<DnsAnswer>;
}

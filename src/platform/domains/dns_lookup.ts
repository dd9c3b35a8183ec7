/**
 * The interface of DNS look-ups.
 *
 * @module
 */
import type { DnsRecordType } from "../../contract/domains.ts";

export type DnsAnswer =
  | { readonly type: "found"; readonly values: readonly string[] }
  /** The name server says that there is no such name, or no record of the type. */
  | { readonly type: "missing"; readonly reason: "NXDOMAIN" | "NODATA" }
  /** No usable response came, so the response is unknown. */
  | { readonly type: "failed"; readonly reason: string };

export interface DnsLookup {
  /**
   * Looks up the records of a name. Hostnames are returned in lower case
   * without final dot, and the strings of a TXT record joined (RFC 7208, 3.3).
   * Never rejects.
   */
  lookup(name: string, type: DnsRecordType): Promise<DnsAnswer>;
}

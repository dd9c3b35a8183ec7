/** The interface of DNS lookups. @module */
import type { DnsRecordType } from "../../contract/domains.ts";

export type DnsAnswer =
  | { readonly type: "found"; readonly values: readonly string[] }
  /** The name server responded that the name does not exist, or has no record of the type. */
  | { readonly type: "missing"; readonly reason: "NXDOMAIN" | "NODATA" }
  /** No usable response arrived, so the records are unknown. */
  | { readonly type: "failed"; readonly reason: string };

/** The record types that the platform looks up. */
export type LookupType = DnsRecordType | "CAA" | "NS";

export interface DnsLookup {
  /**
   * Looks up a name's records. Hostnames are returned in lower case without the trailing dot. The
   * strings of a TXT record are joined (RFC 7208, 3.3). CAA records are returned as in a zone file:
   * `0 issue "letsencrypt.org"`. Never rejects.
   */
  lookup(name: string, type: LookupType): Promise<DnsAnswer>;
}

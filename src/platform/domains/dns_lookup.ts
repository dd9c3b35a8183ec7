/** The interface of DNS lookups. @module */
import type { DnsRecordType } from "../../contract/domains.ts";

export type DnsAnswer =
  | { readonly type: "found"; readonly values: readonly string[] }
  /** The name server responds that the name, or a record of the type, does not exist. */
  | { readonly type: "missing"; readonly reason: "NXDOMAIN" | "NODATA" }
  /** No usable response arrived, so the records are unknown. */
  | { readonly type: "failed"; readonly reason: string };

/** The types of records that the platform looks up. */
export type LookupType = DnsRecordType | "CAA" | "NS";

export interface DnsLookup {
  /**
   * Looks up the records of a name. Hostnames are returned in lower case without the final dot, the
   * strings of a TXT record joined (RFC 7208, 3.3), and CAA records as in a zone file: `0 issue
   * "letsencrypt.org"`. Never rejects.
   */
  lookup(name: string, type: LookupType): Promise<DnsAnswer>;
}

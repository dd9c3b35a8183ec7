/**
 * TXT records at deSEC (API v1). Each write replaces a whole record set, so a concurrent change by
 * another program may be lost.
 *
 * @module
 */
import * as z from "zod";
import { DnsApi, type DnsApiOptions, orMissing } from "./dns_api.ts";
import { belowZone, type DnsProvider, editingProvider, NoZoneError } from "./dns_provider.ts";

const BASE = "https://desec.io/api/v1";

/** The shortest TTL that deSEC allows by default, in seconds. */
const TTL = 3600;

const domains = z.array(z.object({ name: z.string() }));
const set = z.object({ records: z.array(z.string()) });

export function desec(
  token: string,
  { base = BASE, send }: Partial<Pick<DnsApiOptions, "base" | "send">> = {},
): DnsProvider {
  const api = new DnsApi({
    provider: "deSEC",
    base,
    headers: { authorization: `Token ${token}` },
    send,
  });
  const change = async (
    name: string,
    edit: (values: readonly string[]) => string[],
  ): Promise<void> => {
    const query = `?owns_qname=${encodeURIComponent(name)}`;
    const [domain] = await api.json("GET", `/domains/${query}`, { schema: domains });
    if (domain === undefined) throw new NoZoneError("deSEC", name);
    const subname = belowZone(name, domain.name);
    const path = `/domains/${domain.name}/rrsets/`;
    const before = await orMissing(
      api.json("GET", `${path}${subname || "@"}/TXT/`, { schema: set }),
    );
    const records = edit(before?.records ?? []);
    const body = [{ subname, type: "TXT", ttl: TTL, records }];
    await api.text("PATCH", path, JSON.stringify(body));
  };
  return editingProvider(change);
}

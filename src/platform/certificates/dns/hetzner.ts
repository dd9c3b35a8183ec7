/**
 * TXT records at Hetzner (Cloud API v1). The token needs read and write permissions.
 *
 * @module
 */
import { DnsApi, type DnsApiOptions, findZone, orMissing } from "./dns_api.ts";
import { belowZone, CHALLENGE_TTL, type DnsProvider } from "./dns_provider.ts";

const BASE = "https://api.hetzner.cloud/v1";

export function hetzner(
  token: string,
  { base = BASE, send }: Partial<Pick<DnsApiOptions, "base" | "send">> = {},
): DnsProvider {
  const api = new DnsApi({
    provider: "Hetzner",
    base,
    headers: { authorization: `Bearer ${token}` },
    send,
  });
  const actionsOf = async (name: string): Promise<string> => {
    const zone = await findZone(api, "/zones", name);
    const label = encodeURIComponent(belowZone(name, zone) || "@");
    return `/zones/${zone}/rrsets/${label}/TXT/actions`;
  };
  const recordsOf = (value: string) => [{ value: `"${value}"` }];
  return {
    async addTxt(name, value) {
      const body = { ttl: CHALLENGE_TTL, records: recordsOf(value) };
      await api.text("POST", `${await actionsOf(name)}/add_records`, JSON.stringify(body));
    },
    async removeTxt(name, value) {
      const body = JSON.stringify({ records: recordsOf(value) });
      await orMissing(api.text("POST", `${await actionsOf(name)}/remove_records`, body));
    },
  };
}

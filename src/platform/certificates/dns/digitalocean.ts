/**
 * TXT records at DigitalOcean (API v2). The token needs the scopes `domain:read`,
 * `domain:create` and `domain:delete`.
 *
 * @module
 */
import * as z from "zod";
import { DnsApi, type DnsApiOptions, findZone } from "./dns_api.ts";
import { belowZone, CHALLENGE_TTL, type DnsProvider } from "./dns_provider.ts";

const BASE = "https://api.digitalocean.com/v2";

const records = z.object({
  domain_records: z.array(z.object({ id: z.number(), data: z.string() })),
});
const created = z.object({ domain_record: z.object({ id: z.number() }) });

export function digitalocean(
  token: string,
  { base = BASE, send }: Partial<Pick<DnsApiOptions, "base" | "send">> = {},
): DnsProvider {
  const api = new DnsApi({
    provider: "DigitalOcean",
    base,
    headers: { authorization: `Bearer ${token}` },
    send,
  });
  const zoneOf = (name: string) => findZone(api, "/domains", name);
  return {
    async addTxt(name, value) {
      const zone = await zoneOf(name);
      const body = {
        type: "TXT",
        name: belowZone(name, zone) || "@",
        data: value,
        ttl: CHALLENGE_TTL,
      };
      await api.json("POST", `/domains/${zone}/records`, { schema: created, body });
    },
    async removeTxt(name, value) {
      const zone = await zoneOf(name);
      const query = `?type=TXT&per_page=200&name=${encodeURIComponent(name)}`;
      const path = `/domains/${zone}/records`;
      const { domain_records } = await api.json("GET", path + query, { schema: records });
      for (const { id, data } of domain_records) {
        if (data === value) await api.text("DELETE", `${path}/${id}`);
      }
    },
  };
}

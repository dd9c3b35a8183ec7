/**
 * TXT records at Cloudflare (API v4). The token needs `Zone.Zone: Read` and `Zone.DNS: Edit`.
 *
 * @module
 */
import * as z from "zod";
import { DnsApi, type DnsApiOptions } from "./dns_api.ts";
import { CHALLENGE_TTL, type DnsProvider, NoZoneError, possibleZones } from "./dns_provider.ts";

const BASE = "https://api.cloudflare.com/client/v4";

const ids = z.object({ result: z.array(z.object({ id: z.string().max(64), name: z.string() })) });
const records = z.object({
  result: z.array(z.object({ id: z.string().max(64), content: z.string() })),
});
const done = z.object({ success: z.literal(true) });

const unquoted = (content: string): string => content.replace(/^"(.*)"$/, "$1");

export function cloudflare(
  token: string,
  { base = BASE, send }: Partial<Pick<DnsApiOptions, "base" | "send">> = {},
): DnsProvider {
  const api = new DnsApi({
    provider: "Cloudflare",
    base,
    headers: { authorization: `Bearer ${token}` },
    send,
  });
  const zoneOf = async (name: string): Promise<string> => {
    for (const zone of possibleZones(name)) {
      const { result } = await api.json("GET", `/zones?name=${encodeURIComponent(zone)}`, {
        schema: ids,
      });
      const found = result.find((each) => each.name === zone);
      if (found !== undefined) return `/zones/${encodeURIComponent(found.id)}/dns_records`;
    }
    throw new NoZoneError("Cloudflare", name);
  };
  return {
    async addTxt(name, value) {
      const body = { type: "TXT", name, content: `"${value}"`, ttl: CHALLENGE_TTL };
      await api.json("POST", await zoneOf(name), { schema: done, body });
    },
    async removeTxt(name, value) {
      const path = await zoneOf(name);
      const query = `?type=TXT&per_page=100&name=${encodeURIComponent(name)}`;
      const { result } = await api.json("GET", path + query, { schema: records });
      for (const { id, content } of result) {
        if (unquoted(content) !== value) continue;
        await api.text("DELETE", `${path}/${encodeURIComponent(id)}`);
      }
    },
  };
}

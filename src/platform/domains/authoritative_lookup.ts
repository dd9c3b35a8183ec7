/**
 * Looks up records at a zone's own name servers, because resolvers cache negative answers.
 *
 * @module
 */
import type { Seen } from "../certificates/mod.ts";
import { DnsClient } from "./dns_client.ts";
import type { DnsAnswer } from "./dns_lookup.ts";

const DNS_PORT = 53;
const MAX_SERVERS = 8;

async function resolve(name: string, type: "NS" | "A" | "AAAA"): Promise<string[]> {
  try {
    return await Deno.resolveDns(name, type);
  } catch {
    // Either the name has no name servers, or the resolver does not respond. In both cases, there
    // is no server to ask.
    return [];
  }
}

/** Finds the addresses of the name servers for the zone that contains a name. */
async function nameServers(name: string): Promise<string[]> {
  const labels = name.split(".");
  for (let at = 0; at < labels.length - 1; at++) {
    const names = await resolve(labels.slice(at).join("."), "NS");
    if (names.length === 0) continue;
    const addresses = await Promise.all(
      names.slice(0, MAX_SERVERS).map(async (each) =>
        (await resolve(each, "A"))[0] ?? (await resolve(each, "AAAA"))[0]
      ),
    );
    return addresses.filter((address) => address !== undefined);
  }
  return [];
}

export const seenIn = (answer: DnsAnswer): Seen[number] => {
  if (answer.type === "found") return answer.values;
  return answer.type === "missing" ? [] : answer.reason;
};

/**
 * Looks up a name's TXT records at each name server of its zone, or only at `server` if that is
 * given.
 */
export async function lookAtNameServers(name: string, server?: DnsClient): Promise<Seen> {
  if (server !== undefined) return [seenIn(await server.lookup(name, "TXT"))];
  const addresses = await nameServers(name);
  return await Promise.all(addresses.map(async (address) => {
    const client = new DnsClient({ servers: [{ address, port: DNS_PORT }] });
    return seenIn(await client.lookup(name, "TXT"));
  }));
}

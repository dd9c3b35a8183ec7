/**
 * svc's own name server. The server serves DNS-01 challenges for the base domain, and selects the
 * addresses of the domain's hosts by the health and country of the front edges. All of the server's
 * state is in memory.
 *
 * @module
 */
import { isIPv6 } from "node:net";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import type { Settings } from "../../settings/mod.ts";
import type { PendingChallenges } from "../certificates/mod.ts";
import { RateWindow } from "../core/access/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { addressGroup, apiHosts } from "../core/http/mod.ts";
import { askAll } from "../core/peers/mod.ts";
import { nameServersOf } from "../domains/mod.ts";
import { type Edges, PRESENCE } from "../edges/mod.ts";
import { type DnsListener, listenForDns } from "./listen.ts";
import { nearest } from "./nearest.ts";
import { type DnsRecord, respond, type Zone } from "./respond.ts";

/**
 * How long resolvers may cache a record, in seconds. Successive challenges use the same name, so
 * resolvers must not cache them for long.
 */
const CHALLENGE_TTL = 1;
const HOST_TTL = 30;

/**
 * Maximum number of queries per second: from one client over UDP or TCP, and from all clients over
 * UDP.
 */
const MAX_OF_CLIENT = 200;
const MAX_QUERIES = 5000;
const SECOND = { windowMs: 1000, stepMs: 100 };

/** How often to read which edges are connected to other nodes, in milliseconds. */
const PRESENCE_MS = 2000;

export interface DnsParts {
  readonly options: Pick<
    Settings,
    "acmeDns" | "baseDomain" | "dns" | "host" | "publicAddresses"
  >;
  readonly challenges: Pick<PendingChallenges, "txtOf">;
  readonly edges: Pick<Edges, "places" | "present">;
  /** Hostnames for which edges get no certificates. */
  readonly apiNames: readonly string[];
  /** Looks up the country of an IP address. */
  country(address: string): string | undefined;
}

const addressRecords = (addresses: readonly string[]): DnsRecord[] =>
  addresses.map((address) => ({ type: isIPv6(address) ? "AAAA" : "A", address }));

function challengeZone(name: string, challenges: DnsParts["challenges"]): Zone {
  return {
    name,
    ttl: CHALLENGE_TTL,
    isTailored: false,
    find: (asked) =>
      asked === name ? challenges.txtOf(name).map((data) => ({ type: "TXT", data })) : undefined,
  };
}

/**
 * Creates the base domain's zone. As with a wildcard record, the zone contains every name with one
 * more label than the domain.
 */
function hostZone(
  { options, edges, apiNames, country }: DnsParts,
  isPresent: (edge: string) => boolean,
): Zone {
  const { dns, baseDomain, publicAddresses = [] } = options;
  const name = baseDomain.toLowerCase();
  const isApi = apiHosts([...apiNames, ...nameServersOf(options)]);
  const placeOf = (addresses: readonly string[], given?: string) => ({
    addresses,
    country: given ?? country(addresses[0]!),
  });
  return {
    name,
    ttl: HOST_TTL,
    isTailored: true,
    find(asked, client) {
      const places = edges.places();
      const ofEdges = new Set(places.flatMap(({ addresses }) => addresses));
      const free = publicAddresses.filter((address) => !ofEdges.has(address));
      const own = free.length > 0 ? free : publicAddresses;
      if (isApi(asked)) return addressRecords(own);
      if (asked.slice(0, -name.length - 1).includes(".")) return undefined;
      const present = places.filter((each) => isPresent(each.name) && !each.isDrained)
        .map((each) => placeOf(each.addresses, each.country));
      const serving = free.length > 0 || present.length === 0
        ? [placeOf(own, dns?.country), ...present]
        : present;
      return nearest(serving, country(client)).flatMap((each) => addressRecords(each.addresses));
    },
  };
}

/** Listens only if the operator has set a port. */
export function createDns(
  { nodes, peers, closing, now, log, onTrouble }: Pick<
    Foundation,
    "nodes" | "peers" | "closing" | "now" | "log" | "onTrouble"
  >,
  parts: DnsParts,
): Capability {
  const { options: { acmeDns, ...options }, challenges, edges } = parts;
  let elsewhere: ReadonlySet<string> = new Set();
  const alias = acmeDns?.provider === "svc" ? acmeDns.alias : undefined;
  const challenge = `_acme-challenge.${options.baseDomain.toLowerCase()}`;
  const zones = [...new Set([challenge, alias ?? challenge])]
    .map((name) => challengeZone(name, challenges));
  if ((options.publicAddresses ?? []).length > 0) {
    zones.push(hostZone(parts, (edge) => elsewhere.has(edge) || edges.present().includes(edge)));
  }
  const authority = { zones, nameServers: nameServersOf(options) };
  const ofClient = new RateWindow({ limit: MAX_OF_CLIENT, ...SECOND }, now);
  const ofAll = new RateWindow({ limit: MAX_QUERIES, ...SECOND }, now);
  let listener: DnsListener | undefined;
  let rounds: Rounds | undefined;
  return {
    name: "dns",
    async recover() {
      if (options.dns === undefined) return;
      const { port, host = options.host } = options.dns;
      listener = await listenForDns({
        host,
        port,
        onTrouble,
        respond(message, { from, isUdp }) {
          const client = addressGroup(from);
          // UDP senders can forge a client's address. That client must still get responses over
          // TCP.
          if (isUdp ? ofAll.take("") > 0 : ofClient.take(`tcp ${client}`) > 0) return undefined;
          const isLimited = isUdp && ofClient.take(client) > 0;
          return respond(message, authority, { from, isUdp, isLimited });
        },
      });
      log({ level: "info", message: `Responding to DNS queries on ${host}:${listener.port}` });
      if (!nodes.isShared) return;
      rounds = startRounds({
        firstMs: 0,
        everyMs: PRESENCE_MS,
        async run() {
          const { answers } = await askAll(peers, { ...PRESENCE, withLost: false, closing });
          elsewhere = new Set([...answers.values()].flat(2));
        },
        onError: (error) => onTrouble(`Cannot ask other nodes for their edges: ${error}`),
      });
    },
    async close() {
      await Promise.all([rounds?.close(), listener?.close()]);
    },
  };
}

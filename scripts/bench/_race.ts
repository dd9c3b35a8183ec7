/**
 * Servers under the same load, over HTTP and HTTPS, one after the other, in an
 * order that changes from round to round, so that no one always runs on a warm
 * or a tired machine.
 *
 * @module
 */
import { load, type Protocol, PROTOCOL_NAMES, PROTOCOLS } from "./_load.ts";
import type { Measured } from "./_measured.ts";
import { againstAim, formatTable, median, whole } from "./_table.ts";

export interface Runner {
  readonly name: string;
  readonly port: number;
  /** HTTP/1.1 and HTTP/2 over TLS; a runner without it is measured over plain TCP only. */
  readonly httpsPort?: number | undefined;
  readonly host: string;
}

/** A runner over one protocol. */
export interface Entrant {
  readonly name: string;
  readonly protocol: Protocol;
  /** For people. */
  readonly protocolName: string;
  readonly port: number;
  readonly host: string;
}

/** The runners over each protocol that they serve, by protocol. */
export function entrantsOf(runners: readonly Runner[]): readonly (readonly Entrant[])[] {
  return PROTOCOLS.map((protocol) =>
    runners.flatMap(({ name, host, ...ports }) => {
      const port = protocol === "http" ? ports.port : ports.httpsPort;
      const protocolName = PROTOCOL_NAMES[protocol];
      return port === undefined ? [] : [{ name, protocol, protocolName, port, host }];
    })
  ).filter((entrants) => entrants.length > 0);
}

export interface Race {
  readonly path: string;
  /** Where one path is not enough: the same requests for wrk and h2load. */
  readonly many?: { readonly script: string; readonly paths: readonly string[] };
  readonly rounds: number;
  readonly seconds: number;
  /** Least ratio of svc to another over plain HTTP, by the other's name. */
  readonly aims: Readonly<Record<string, number>>;
}

/** Runs the race of one protocol and returns its rows. */
async function heat(entrants: readonly Entrant[], given: Race): Promise<readonly string[][]> {
  const results = new Map<string, Measured[]>(entrants.map(({ name }) => [name, []]));
  const { path, many, seconds } = given;
  const measure = (entrant: Entrant, time: number): Promise<Measured> =>
    load({ ...entrant, path, seconds: time, ...many });
  for (const entrant of entrants) await measure(entrant, 1);
  for (let round = 0; round < given.rounds; round++) {
    const order = round % 2 === 0 ? entrants : entrants.toReversed();
    for (const entrant of order) results.get(entrant.name)!.push(await measure(entrant, seconds));
  }
  const ratesOf = (name: string): number[] =>
    results.get(name)!.map(({ requestsPerSecond }) => requestsPerSecond);
  const own = ratesOf("svc");
  return entrants.map(({ name, protocol, protocolName }) => {
    const rates = ratesOf(name);
    const aim = protocol === "http" ? given.aims[name] : undefined;
    // Runs of one round are neighbours in time: what else the machine does weighs on both.
    const ratio = median(own.map((rate, round) => rate / rates[round]!));
    return [
      protocolName,
      name,
      whole(median(rates)),
      `${whole(Math.min(...rates))} - ${whole(Math.max(...rates))}`,
      median(results.get(name)!.map(({ p99 }) => p99)).toFixed(2),
      name === "svc" ? "" : aim === undefined ? ratio.toFixed(2) : againstAim(ratio, aim),
    ];
  });
}

/** Runs the race over each protocol and returns its table; `svc` must be one of the runners. */
export async function race(runners: readonly Runner[], given: Race): Promise<string> {
  const rows: string[][] = [];
  for (const entrants of entrantsOf(runners)) rows.push(...await heat(entrants, given));
  return formatTable(
    ["protocol", "server", "requests/s", "spread", "p99 ms", "svc against it"],
    rows,
  );
}

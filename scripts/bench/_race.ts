/**
 * Puts servers under the same load, over HTTP and HTTPS, one after the other. The order changes
 * from round to round, so that no server always runs on a cold or a hot machine.
 *
 * @module
 */
import { type Cost, loadProcess, type Protocol, PROTOCOL_NAMES, PROTOCOLS } from "./_load.ts";
import { againstAim, againstMost, formatTable, median, whole } from "./_table.ts";

export interface Runner {
  readonly name: string;
  /** The process that serves, directly or through its child processes. */
  readonly pid: number;
  readonly port: number;
  /** HTTP/1.1 and HTTP/2 over TLS. A runner without a TLS port is measured only over plain TCP. */
  readonly httpsPort?: number | undefined;
  readonly host: string;
}

/** A runner on one protocol. */
export interface Entrant {
  readonly name: string;
  readonly protocol: Protocol;
  /** The protocol's name in tables. */
  readonly protocolName: string;
  readonly pid: number;
  readonly port: number;
  readonly host: string;
}

/** Returns the entrants for each protocol: the runners that serve it. */
export function entrantsOf(runners: readonly Runner[]): readonly (readonly Entrant[])[] {
  return PROTOCOLS.map((protocol) =>
    runners.flatMap(({ name, pid, host, ...ports }) => {
      const port = protocol === "http" ? ports.port : ports.httpsPort;
      const protocolName = PROTOCOL_NAMES[protocol];
      return port === undefined ? [] : [{ name, protocol, protocolName, pid, port, host }];
    })
  ).filter((entrants) => entrants.length > 0);
}

interface Race {
  readonly path: string;
  /** The same requests for wrk and h2load, if one path is not enough. */
  readonly many?: { readonly script: string; readonly paths: readonly string[] };
  readonly rounds: number;
  readonly seconds: number;
  /**
   * Minimum ratio of svc's rate to another runner's over plain HTTP, keyed by that runner's name.
   */
  readonly aims: Readonly<Record<string, number>>;
  /**
   * Maximum ratio of svc's CPU time to another runner's over plain HTTP, keyed by that runner's
   * name.
   */
  readonly processorAims?: Readonly<Record<string, number>>;
}

/** Runs the race over one protocol and returns its rows. */
async function heat(entrants: readonly Entrant[], given: Race): Promise<readonly string[][]> {
  const results = new Map<string, Cost[]>(entrants.map(({ name }) => [name, []]));
  const { path, many, seconds } = given;
  const measure = async (entrant: Entrant, time: number): Promise<Cost> => {
    try {
      return await loadProcess({ ...entrant, path, seconds: time, ...many });
    } catch (cause) {
      throw new Error(`${entrant.name}, ${entrant.protocolName}, ${path}`, { cause });
    }
  };
  for (const entrant of entrants) await measure(entrant, 1);
  for (let round = 0; round < given.rounds; round++) {
    const order = round % 2 === 0 ? entrants : entrants.toReversed();
    for (const entrant of order) results.get(entrant.name)!.push(await measure(entrant, seconds));
  }
  const own = results.get("svc")!;
  return entrants.map(({ name, protocol, protocolName }) => {
    const runs = results.get(name)!;
    const rates = runs.map(({ requestsPerSecond }) => requestsPerSecond);
    const isPlain = protocol === "http";
    return [
      protocolName,
      name,
      whole(median(rates)),
      `${whole(Math.min(...rates))} - ${whole(Math.max(...rates))}`,
      median(runs.map(({ p99 }) => p99)).toFixed(2),
      median(runs.map(({ processorUs }) => processorUs)).toFixed(1),
      ...(name === "svc" ? [] : comparison(own, runs, {
        aim: isPlain ? given.aims[name] : undefined,
        processorAim: isPlain ? given.processorAims?.[name] : undefined,
      })),
    ];
  });
}

/**
 * Compares the rates and CPU times of svc and another runner. The runs of a round are close
 * together in time, so other load on the machine affects both runners.
 */
function comparison(
  own: readonly Cost[],
  others: readonly Cost[],
  { aim, processorAim }: {
    readonly aim: number | undefined;
    readonly processorAim: number | undefined;
  },
): string[] {
  const ratioOf = (value: (cost: Cost) => number): number =>
    median(own.map((cost, round) => value(cost) / value(others[round]!)));
  const rate = ratioOf(({ requestsPerSecond }) => requestsPerSecond);
  const processor = ratioOf(({ processorUs }) => processorUs);
  return [
    aim === undefined ? rate.toFixed(2) : againstAim(rate, aim),
    processorAim === undefined ? processor.toFixed(2) : againstMost(processor, processorAim),
  ];
}

/** Runs the race over each protocol and returns its table; `svc` must be one of the runners. */
export async function race(runners: readonly Runner[], given: Race): Promise<string> {
  const rows: string[][] = [];
  for (const entrants of entrantsOf(runners)) rows.push(...await heat(entrants, given));
  return formatTable(
    [
      "protocol",
      "server",
      "requests/s",
      "spread",
      "p99 ms",
      "cpu us",
      "svc's rate relative to it",
      "svc's cpu relative to it",
    ],
    rows,
  );
}

/**
 * Servers under the same load, one after the other, in an order that changes
 * from round to round, so that no one always runs on a warm or a tired machine.
 *
 * @module
 */
import { load, type Measured } from "./_load.ts";
import { againstAim, formatTable, median, whole } from "./_table.ts";

export interface Runner {
  readonly name: string;
  readonly port: number;
  readonly host: string;
}

export interface Race {
  readonly path: string;
  readonly script?: string;
  readonly rounds: number;
  readonly seconds: number;
  /** Least ratio of svc to another, by the other's name. */
  readonly aims: Readonly<Record<string, number>>;
}

/** Runs the race and returns its table; `svc` must be one of the runners. */
export async function race(runners: readonly Runner[], given: Race): Promise<string> {
  const results = new Map<string, Measured[]>(runners.map(({ name }) => [name, []]));
  const { path, script, seconds } = given;
  const measure = (runner: Runner, time: number): Promise<Measured> =>
    load({ ...runner, path, seconds: time, ...(script === undefined ? {} : { script }) });
  for (const runner of runners) await measure(runner, 1);
  for (let round = 0; round < given.rounds; round++) {
    const order = round % 2 === 0 ? runners : runners.toReversed();
    for (const runner of order) results.get(runner.name)!.push(await measure(runner, seconds));
  }
  const ratesOf = (name: string): number[] =>
    results.get(name)!.map(({ requestsPerSecond }) => requestsPerSecond);
  const own = ratesOf("svc");
  const rows = runners.map(({ name }) => {
    const rates = ratesOf(name);
    const aim = given.aims[name];
    // Runs of one round are neighbours in time: what else the machine does weighs on both.
    const ratio = median(own.map((rate, round) => rate / rates[round]!));
    return [
      name,
      whole(median(rates)),
      `${whole(Math.min(...rates))} - ${whole(Math.max(...rates))}`,
      median(results.get(name)!.map(({ p99 }) => p99)).toFixed(2),
      aim === undefined ? "" : againstAim(ratio, aim),
    ];
  });
  return formatTable(["server", "requests/s", "spread", "p99 ms", "svc against it"], rows);
}

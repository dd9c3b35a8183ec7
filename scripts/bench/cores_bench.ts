/**
 * Requests a second with as many edge threads as processors against one, beside a
 * bare `Deno.serve` with the same.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { BARE, withBare } from "./_bare.ts";
import { describeProgram, withBenchPlace } from "./_bench_place.ts";
import { type Cost, loadProcess } from "./_load.ts";
import { againstAim, formatTable, median, whole } from "./_table.ts";

const HOST = "bench.localhost";
const PAGE_BYTES = 13 * 1024;
const ROUNDS = 5;
const SECONDS = 2;
/** What svc may gain less than a bare server does. */
const AIM = 0.95;

interface Entrant {
  readonly name: string;
  readonly threads: number;
  readonly pid: number;
  readonly port: number;
}

/** Runs something with a platform of so many edge threads, and a bare server beside it. */
async function withThreads<T>(
  threads: number,
  run: (entrants: readonly [Entrant, Entrant]) => Promise<T>,
): Promise<T> {
  return await withBenchPlace(async ({ folder, site, platform, tool }) => {
    const page = `<!doctype html><title>Bench</title><p>${"0123456789abcdef".repeat(1000)}`;
    await Deno.writeTextFile(join(site, "index.html"), page.slice(0, PAGE_BYTES));
    await tool(["init", "--name", "bench", "--create"]);
    await tool(["deploy", "--prod"]);
    const { pid, port } = platform;
    const svc = { name: "svc", threads, pid, port };
    return await withBare(
      folder,
      { port, host: HOST, paths: ["/"], threads },
      (bare) => run([svc, { name: BARE, threads, pid: bare.pid, port: bare.port }]),
    );
  }, { args: ["--edge-threads", String(threads)] });
}

/** Runs all in turn, in an order that changes from round to round. */
async function measureAll(entrants: readonly Entrant[]): Promise<ReadonlyMap<Entrant, Cost[]>> {
  const results = new Map<Entrant, Cost[]>(entrants.map((entrant) => [entrant, []]));
  const measure = ({ pid, port }: Entrant, seconds: number): Promise<Cost> =>
    loadProcess({ pid, port, host: HOST, path: "/", seconds });
  for (const entrant of entrants) await measure(entrant, 1);
  for (let round = 0; round < ROUNDS; round++) {
    for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
      results.get(entrant)!.push(await measure(entrant, SECONDS));
    }
  }
  return results;
}

/** What the second gains over the first: the median of the rounds, whose runs are neighbours. */
function gainOf(one: readonly Cost[], all: readonly Cost[]): number {
  return median(
    all.map(({ requestsPerSecond }, round) => requestsPerSecond / one[round]!.requestsPerSecond),
  );
}

/** Runs the bench and returns its report. */
export async function benchCores(): Promise<string> {
  const cores = availableParallelism();
  if (cores === 1) return "One processor: one thread does it all";
  return await withThreads(1, (one) =>
    withThreads(cores, async (all) => {
      const results = await measureAll([...one, ...all]);
      const gains = [0, 1].map((at) => gainOf(results.get(one[at]!)!, results.get(all[at]!)!));
      const rows = [...results].map(([entrant, costs]) => {
        const at = all.indexOf(entrant);
        return [
          entrant.name,
          String(entrant.threads),
          whole(median(costs.map(({ requestsPerSecond }) => requestsPerSecond))),
          median(costs.map(({ p99 }) => p99)).toFixed(2),
          median(costs.map(({ processorUs }) => processorUs)).toFixed(1),
          at === -1 ? "" : gains[at]!.toFixed(2),
          at === 0 ? againstAim(gains[0]! / gains[1]!, AIM) : "",
        ];
      });
      const headings = ["server", "threads", "requests/s", "p99 ms", "cpu us"];
      return `A 13 KB page, 32 connections (svc ${describeProgram()})\n\n` +
        formatTable([...headings, "against one", "gain against that of bare"], rows);
    }));
}

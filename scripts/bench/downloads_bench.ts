/**
 * A 200 MB file, downloaded repeatedly with curl from the edge, nginx and Caddy, over each
 * protocol.
 *
 * @module
 */
import { join } from "node:path";
import { hear } from "../_process.ts";
import { describeProgram, withHttpsPlace } from "./_bench_place.ts";
import type { Protocol } from "./_load.ts";
import { withPeers } from "./_peers.ts";
import { processorTime } from "./_processor_time.ts";
import { type Entrant, entrantsOf } from "./_race.ts";
import { againstAim, formatTable, median, whole } from "./_table.ts";

const MEGABYTES = 200;
const MEGABYTE = 1_000_000;
const ROUNDS = 5;
/** Minimum ratio of svc's rate to nginx's. */
const AIM = 0.8;

const CURL_FLAGS: Readonly<Record<Protocol, string>> = {
  http: "--http1.1",
  https: "--http1.1",
  h2: "--http2",
};

interface Download {
  /** Megabytes per second. */
  readonly rate: number;
  /** CPU time of the server, in milliseconds. */
  readonly processor: number;
}

async function download({ host, port, protocol, pid }: Entrant): Promise<Download> {
  const before = processorTime(pid);
  const scheme = protocol === "http" ? "http" : "https";
  const told = await hear([
    "curl",
    "--silent",
    "--insecure",
    CURL_FLAGS[protocol],
    "--output",
    "/dev/null",
    "--resolve",
    `${host}:${port}:127.0.0.1`,
    "--write-out",
    "%{http_code} %{size_download} %{time_total}",
    `${scheme}://${host}:${port}/large.bin`,
  ]);
  const [status, size, seconds] = told.stdout.split(" ").map(Number);
  if (told.code !== 0 || status !== 200 || size !== MEGABYTES * MEGABYTE) {
    throw new Error(`Cannot measure: curl exited with ${told.code}, and printed ${told.stdout}`);
  }
  return { rate: MEGABYTES / seconds!, processor: processorTime(pid) - before };
}

/**
 * Measures downloads over one protocol, in an order that is reversed in each round, and returns the
 * rows.
 */
async function heat(entrants: readonly Entrant[]): Promise<readonly string[][]> {
  const results = new Map<string, Download[]>(entrants.map(({ name }) => [name, []]));
  for (const entrant of entrants) await download(entrant);
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? entrants : entrants.toReversed();
    for (const entrant of order) {
      results.get(entrant.name)!.push(await download(entrant));
    }
  }
  const ratesOf = (name: string): number[] => results.get(name)!.map(({ rate }) => rate);
  return entrants.map(({ name, protocolName }) => {
    const ratio = median(ratesOf("svc").map((rate, round) => rate / ratesOf(name)[round]!));
    return [
      protocolName,
      name,
      whole(median(ratesOf(name))),
      whole(median(results.get(name)!.map(({ processor }) => processor))),
      name === "svc" ? "" : name === "nginx" ? againstAim(ratio, AIM) : ratio.toFixed(2),
    ];
  });
}

/** Runs the bench and returns its report. */
export async function benchDownloads(): Promise<string> {
  return await withHttpsPlace(async ({ folder, site, platform, certificate, tool }) => {
    await Deno.writeTextFile(join(site, "index.html"), "<h1>Downloads</h1>");
    const content = new Uint8Array(MEGABYTES * MEGABYTE);
    for (let at = 0; at < content.byteLength; at += 65_536) {
      crypto.getRandomValues(content.subarray(at, at + 65_536));
    }
    await Deno.writeFile(join(site, "large.bin"), content);
    await tool(["init", "--name", "bench", "--create"]);
    await tool(["deploy", "--prod"]);
    const peerSite = { folder, root: site, certificate, redirects: new Map() };
    return await withPeers(peerSite, async (peers) => {
      const host = "bench.localhost";
      const runners = [
        { ...platform, name: "svc", host },
        ...peers.map((peer) => ({ ...peer, host })),
      ];
      const rows: string[][] = [];
      for (const entrants of entrantsOf(runners)) rows.push(...await heat(entrants));
      return `A file of ${MEGABYTES} MB, one download at a time (svc ${describeProgram()})\n\n` +
        formatTable(["protocol", "server", "MB/s", "processor ms", "svc relative to it"], rows);
    });
  });
}

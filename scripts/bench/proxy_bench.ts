/**
 * External rewrites and their cache, compared with nginx and Caddy in front of the same HTTPS
 * origin. Caddy has no cache, so it shows how much a cache saves. If a target is missed,
 * `docs/decisions/edge.md` says why.
 *
 * @module
 */
import { join } from "node:path";
import { BARE, withBare } from "./_bare.ts";
import { type BenchPlace, describeProgram, withHttpsPlace } from "./_bench_place.ts";
import { load } from "./_load.ts";
import { type Origin, startOrigin } from "./_origin.ts";
import { withPeers } from "./_peers.ts";
import { type Entrant, entrantsOf, race, type Runner } from "./_race.ts";
import { formatTable, median } from "./_table.ts";

const HOST = "bench.localhost";
const PAGE_BYTES = 13 * 1024;
const FILES = {
  "index.html": "origin",
  "page.html": "0123456789abcdef".repeat(PAGE_BYTES / 16),
  "small.txt": "0123456789abcdef".repeat(64),
};

async function deployProxy({ site, tool }: BenchPlace, origin: Origin, cached: boolean) {
  const rules = [
    'schemaVersion = "EDGE_RULE_SET_V1"',
    "[[rules]]",
    'id = "up"',
    'condition.path = { type = "glob", value = "/{rest...}" }',
    `action = { type = "rewrite", target = "${origin.url}/{rest}", external = true }`,
    ...(cached ? ["[[rules]]", 'id = "keep"', 'action = { type = "cache", ttlSeconds = 60 }'] : []),
  ];
  await Deno.writeTextFile(join(site, "svc.rules.toml"), `${rules.join("\n")}\n`);
  await Deno.writeTextFile(join(site, "index.html"), "<h1>Bench</h1>");
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod"]);
}

/** Calls `run` with svc, nginx and Caddy in front of one origin. */
async function withProxies(
  cached: boolean,
  run: (runners: readonly Runner[], origin: Origin, folder: string) => Promise<string>,
): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-origin-" });
  const origin = await startOrigin(folder, FILES);
  try {
    return await withHttpsPlace(async (place) => {
      await deployProxy(place, origin, cached);
      const peerSite = {
        folder: place.folder,
        root: place.site,
        certificate: place.certificate,
        redirects: new Map(),
        origin: { url: origin.url, caFile: origin.caFile, cached },
      };
      return await withPeers(peerSite, (peers) =>
        run(
          [
            { ...place.platform, name: "svc", host: HOST },
            ...peers.map((peer) => ({ ...peer, host: HOST })),
          ],
          origin,
          place.folder,
        ));
    }, { args: ["--allow-private-upstreams", "--upstream-ca", origin.caFile] });
  } finally {
    await origin.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Measures cache hits, and returns the report. */
export async function benchCache(): Promise<string> {
  const path = "/page.html";
  const table = await withProxies(
    true,
    ([svc, ...peers], _origin, folder) =>
      withBare(
        folder,
        { ...svc!, paths: [path] },
        (bare) =>
          race([svc!, { ...bare, host: HOST }, ...peers], {
            path,
            rounds: 6,
            seconds: 2,
            aims: { nginx: 0.9 },
            processorAims: { [BARE]: 1.2 },
          }),
      ),
  );
  return `Cache hits of 13 KB, 32 requests at once (svc ${describeProgram()}; ` +
    `Caddy forwards all requests)\n\n${table}`;
}

const ROUNDS = 3;

/**
 * Returns the mean time of a request over one connection, in milliseconds: the median of several
 * rounds.
 */
async function delayOf(entrant: Omit<Entrant, "protocolName" | "pid">): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const given = { ...entrant, path: "/small.txt", seconds: 1, connections: 1 };
    times.push(1000 / (await load(given)).requestsPerSecond);
  }
  return median(times);
}

/**
 * Measures the throughput of 1 KB responses and the delay that each proxy adds; returns the report.
 */
export async function benchProxy(): Promise<string> {
  return await withProxies(false, async (runners, origin) => {
    const table = await race(runners, {
      path: "/small.txt",
      rounds: 4,
      seconds: 2,
      aims: { nginx: 0.7 },
    });
    const { port } = origin;
    const protocol = "https" as const;
    const direct = await delayOf({ name: "origin", host: "localhost", port, protocol });
    const rows = [["HTTP/1.1 over TLS", "origin alone", direct.toFixed(3), ""]];
    for (const entrant of entrantsOf(runners).flat()) {
      const delay = await delayOf(entrant);
      const added = (delay - direct).toFixed(3);
      rows.push([entrant.protocolName, entrant.name, delay.toFixed(3), added]);
    }
    return `Proxied responses of 1 KB, 32 requests at once (svc ${describeProgram()})\n\n${table}\n\n` +
      `One connection\n\n${formatTable(["protocol", "through", "ms a request", "added ms"], rows)}`;
  });
}

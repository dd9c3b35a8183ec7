/**
 * Edges on the platform's machine: requests per second and CPU time per request without edges
 * and with two, and an estimate for more processors.
 *
 * @module
 */
import { join } from "node:path";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { fetchByHost } from "../_fetch_by_host.ts";
import { load } from "./_load.ts";
import { processorTime, processTree } from "./_processor_time.ts";
import { formatTable, median, whole } from "./_table.ts";

const HOST = "bench.localhost";
const EDGES = 2;
const ROUNDS = 4;
const SECONDS = 2;
const CORES = [4, 8, 16] as const;

const KINDS = [
  { name: "page of 13 KB", path: "/page", status: 200 },
  { name: "redirect", path: "/old/a", status: 301 },
  { name: "cache hit", path: "/kept", status: 200 },
  { name: "server", path: "/idle", status: 200 },
] as const;

const SERVER = `
import { createServer } from "node:http";
const page = "0123456789abcdef".repeat(64);
createServer((request, response) => {
  if (request.url === "/kept") response.setHeader("cache-control", "public, s-maxage=600");
  response.setHeader("content-length", String(page.length));
  response.end(page);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "old"
condition.path = { type = "glob", value = "/old/{rest...}" }
action = { type = "redirect", target = "/new/{rest}", statusCode = 301 }
[[rules]]
id = "keep"
condition.path = { type = "exact", value = "/kept" }
action = { type = "cache", ttlSeconds = 600 }
`;

/** CPU time of a request in microseconds, by the process that uses it. */
interface Costs {
  readonly platform: number;
  readonly edges: number;
  readonly server: number;
}

interface Run extends Costs {
  readonly perSecond: number;
}

async function furnish({ site, tool }: BenchPlace): Promise<void> {
  const manifest = {
    version: 1,
    layers: [
      { name: "files", target: "STATIC", directory: "assets" },
      {
        name: "app",
        target: "COMPUTE",
        directory: "server",
        entry: "server/entry.mjs",
        runtime: { engine: "node" },
      },
    ],
    routes: [
      { pattern: "^/page", layer: "files", priority: 1 },
      { pattern: "^/.*$", layer: "app" },
    ],
  };
  const files = {
    "dist/.svc/manifest.json": JSON.stringify(manifest),
    "dist/assets/page.html": "0123456789abcdef".repeat(13 * 64),
    "dist/server/entry.mjs": SERVER,
    "svc.rules.toml": RULES,
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(site, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(site, path), text);
  }
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod", "--skip-build"]);
}

/** Returns the CPU time that each kind of process has used so far, in milliseconds. */
function timesOf(pid: number): Costs {
  const below = processTree(pid).filter((each) => each !== pid);
  const isEdge = (each: number) => {
    try {
      return Deno.readTextFileSync(`/proc/${each}/cmdline`).includes("\0__edge\0");
    } catch {
      return false;
    }
  };
  const edges = below.filter(isEdge).reduce((sum, each) => sum + processorTime(each), 0);
  const all = processorTime(pid);
  const own = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  const platform = (Number(own[11]) + Number(own[12])) * 10;
  return { platform, edges, server: Math.max(0, all - edges - platform) };
}

async function measure(place: BenchPlace, path: string): Promise<Run> {
  const { pid, port } = place.platform;
  const before = timesOf(pid);
  const { requests, requestsPerSecond: perSecond } = await load({
    host: HOST,
    port,
    path,
    seconds: SECONDS,
  });
  const after = timesOf(pid);
  const cost = (name: keyof Costs) => (after[name] - before[name]) * 1000 / requests;
  return {
    perSecond,
    platform: cost("platform"),
    edges: cost("edges"),
    server: cost("server"),
  };
}

/** Returns the medians over several rounds of each kind. */
async function measureAll(edges: number): Promise<readonly Run[]> {
  return await withBenchPlace(async (place) => {
    await furnish(place);
    const runs: Run[] = [];
    for (const { path, status } of KINDS) {
      const found = await fetchByHost({ port: place.platform.port, host: HOST, path });
      if (found.status !== status) throw new Error(`${path}: ${found.status}, not ${status}`);
      await measure(place, path);
      const rounds: Run[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(place, path));
      const middle = (name: keyof Run) => median(rounds.map((each) => each[name]));
      runs.push({
        perSecond: middle("perSecond"),
        platform: middle("platform"),
        edges: middle("edges"),
        server: middle("server"),
      });
    }
    return runs;
  }, { args: ["--edges", String(edges)] });
}

/**
 * Returns the requests per second that the processors allow, if no process uses more than one
 * processor and connections are spread evenly over the edges and the platform.
 */
function reckon(alone: Costs, beside: Costs, cores: number): number {
  const measured = EDGES + 1;
  // Cost of a request at an edge, and at the platform.
  const atEdge = beside.edges * measured / EDGES;
  const ofEdge = Math.max(0, (beside.platform * measured - alone.platform) / EDGES);
  const edges = Math.floor(cores / 2);
  const processes = edges + 1;
  const platform = (alone.platform + ofEdge * edges) / processes;
  const { server } = beside;
  const whole = platform + atEdge * edges / processes + server;
  return 1e6 / Math.max(platform, atEdge / processes, server, whole / cores);
}

/** Runs the bench and returns its report. */
export async function benchCores(): Promise<string> {
  const alone = await measureAll(0);
  const beside = await measureAll(EDGES);
  const rows = KINDS.flatMap(({ name }, at) =>
    [alone[at]!, beside[at]!].map(({ perSecond, platform, edges, server }, index) => {
      const costs = [platform, edges, server].map((each) => each.toFixed(1));
      return [name, String(index * EDGES), whole(perSecond), ...costs];
    })
  );
  const expected = KINDS.map(({ name }, at) => {
    const one = alone[at]!;
    const single = 1e6 / Math.max(one.platform, one.server);
    const more = CORES.map((cores) => whole(reckon(one, beside[at]!, cores)));
    return [name, whole(single), ...more];
  });
  const costs = formatTable(
    ["32 connections", "edges", "requests/s", "platform µs", "edges µs", "server µs"],
    rows,
  );
  const reckoned = formatTable(
    ["reckoned requests/s", "no edges", ...CORES.map((cores) => `${cores} cores`)],
    expected,
  );
  return `Edges on one machine (svc ${describeProgram()}, ` +
    `${navigator.hardwareConcurrency} processors, shared with wrk)\n\n${costs}\n\n${reckoned}`;
}

/**
 * The time that a request step takes if it does nothing, and the effect of hostile functions on
 * other projects. If a target is missed, `docs/decisions/edge.md` says why.
 *
 * @module
 */
import { join } from "node:path";
import { fetchByHost } from "../_fetch_by_host.ts";
import { BARE, withBare } from "./_bare.ts";
import { type BenchPlace, describeProgram, withHttpsPlace } from "./_bench_place.ts";
import { type Cost, loadProcess, type Protocol, PROTOCOL_NAMES, PROTOCOLS } from "./_load.ts";
import type { Peer } from "./_peers.ts";
import { againstMost, formatTable, median, whole } from "./_table.ts";

const HOST = "bench.localhost";
const HOSTILE_HOST = "hostile.localhost";
const ROUNDS = 5;
const NEIGHBOR: Clients = { protocol: "http", connections: 4 };
/** Maximum time that a no-op step may add to a request, in milliseconds. */
const MAX_STEP_MS = 0.1;
/** Maximum factor by which a neighbor's p99 may grow. */
const MAX_GROWTH = 1.2;

const HOSTILE: Readonly<Record<string, string>> = {
  loops: "export default () => { for (;;); };",
  bomb:
    "const kept = []; export default () => { for (;;) kept.push(new Uint8Array(1e6).fill(1)); };",
  never: "export default () => new Promise(() => {});",
  floods:
    "export default () => { for (let i = 0; i < 1e5; i++) console.log(i); return new Response(); };",
};

const pipelineRule = (id: string, prefix: string, steps: string): string => `
[[rules]]
id = "${id}"
condition.path = { type = "prefix", value = "${prefix}" }
action = { type = "pipeline", steps = [${steps}] }
`;

async function write(site: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Deno.mkdir(join(site, "functions"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(site, path), text);
  }
}

async function deployStep({ site, tool }: BenchPlace): Promise<void> {
  await write(site, {
    "index.html": "<h1>Bench</h1>",
    "plain.html": "<h1>Bench</h1>",
    "step.html": "<h1>Bench</h1>",
    "functions/noop.js": "export default () => {};",
    "svc.rules.toml": 'schemaVersion = "EDGE_RULE_SET_V1"\n' +
      pipelineRule("step", "/step", '{ use = "noop", mode = "request" }, { handle = "origin" }'),
  });
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod"]);
}

/** Deploys the hostile functions as another project on the same platform. */
async function deployHostile({ site, tool }: BenchPlace): Promise<void> {
  await Deno.remove(site, { recursive: true });
  await Deno.mkdir(site);
  const rules = Object.keys(HOSTILE).map((name) =>
    pipelineRule(name, `/${name}`, `{ handle = "${name}" }`)
  );
  await write(site, {
    "index.html": "<h1>Hostile</h1>",
    ...Object.fromEntries(
      Object.entries(HOSTILE).map(([name, source]) => [`functions/${name}.js`, source]),
    ),
    "svc.rules.toml": `schemaVersion = "EDGE_RULE_SET_V1"\n${rules.join("")}`,
  });
  await tool(["init", "--name", "hostile", "--create"]);
  await tool(["deploy", "--prod"]);
}

interface Clients {
  readonly protocol: Protocol;
  readonly connections: number;
}

function measure({ platform }: BenchPlace, path: string, clients: Clients): Promise<Cost> {
  const port = clients.protocol === "http" ? platform.port : platform.httpsPort!;
  return loadProcess({ ...clients, pid: platform.pid, port, host: HOST, path, seconds: 1 });
}

/**
 * Measures all paths in each round, one after the other, so that other work on the machine affects
 * all of them.
 */
async function measureInTurns(
  place: BenchPlace,
  paths: readonly string[],
  clients: Clients,
): Promise<readonly (readonly Cost[])[]> {
  for (const path of paths) await measure(place, path, clients);
  const rounds: Cost[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const measured: Cost[] = [];
    for (const path of paths) measured.push(await measure(place, path, clients));
    rounds.push(measured);
  }
  return rounds;
}

async function stepRow(place: BenchPlace, clients: Clients): Promise<string[]> {
  const rounds = await measureInTurns(place, ["/plain", "/step"], clients);
  const rate = (at: number) => median(rounds.map((round) => round[at]!.requestsPerSecond));
  const processor = (at: number) =>
    median(rounds.map((round) => round[at]!.processorUs)).toFixed(1);
  const added = median(
    rounds.map(([plain, step]) => 1000 / step!.requestsPerSecond - 1000 / plain!.requestsPerSecond),
  );
  return [
    PROTOCOL_NAMES[clients.protocol],
    String(clients.connections),
    whole(rate(0)),
    processor(0),
    whole(rate(1)),
    processor(1),
    median(rounds.map((round) => round[1]!.p99)).toFixed(2),
    added.toFixed(3),
    added < MAX_STEP_MS ? "met" : "MISSED",
  ];
}

async function stepTable(place: BenchPlace): Promise<string> {
  const rows: string[][] = [];
  for (const protocol of PROTOCOLS) {
    for (const connections of [1, 32]) rows.push(await stepRow(place, { protocol, connections }));
  }
  const headings = [
    "protocol",
    "at once",
    "plain/s",
    "cpu us",
    "with step/s",
    "cpu us",
    "p99 ms",
    "added ms per request",
  ];
  return formatTable([...headings, `aim ${MAX_STEP_MS}`], rows);
}

/** Keeps one call of each hostile function running until it is stopped. */
function attack({ platform }: BenchPlace): { stop(): Promise<void> } {
  let isOver = false;
  const callers = Object.keys(HOSTILE).map(async (name) => {
    while (!isOver) {
      await fetchByHost({ port: platform.port, host: HOSTILE_HOST, path: `/${name}` })
        .catch(() => undefined);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.race([
        Promise.all(callers),
        new Promise((resolve) => setTimeout(resolve, 12_000)),
      ]);
    },
  };
}

/**
 * Clients that request a page, a step or an independent bare server while hostile functions run.
 */
interface Neighbor {
  readonly name: string;
  measure(): Promise<Cost>;
}

/** Returns the p99 of each neighbor. Each round measures all neighbors in turn. */
async function p99Of(neighbors: readonly Neighbor[]): Promise<readonly number[]> {
  const p99s = neighbors.map((): number[] => []);
  for (const { measure } of neighbors) await measure();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { measure }] of neighbors.entries()) p99s[at]!.push((await measure()).p99);
  }
  return p99s.map((each) => median(each));
}

async function neighborTable(place: BenchPlace, bare: Peer): Promise<string> {
  const { platform: { pid, port } } = place;
  const neighbor = (name: string, path: string, server: { pid: number; port: number }) => ({
    name,
    measure: () => loadProcess({ ...NEIGHBOR, ...server, host: HOST, path, seconds: 1 }),
  });
  const neighbors = [
    neighbor("/plain", "/plain", { pid, port }),
    neighbor("/step", "/step", { pid, port }),
    neighbor(BARE, "/plain", bare),
  ];
  const alone = await p99Of(neighbors);
  await deployHostile(place);
  const attackers = attack(place);
  const beside = await p99Of(neighbors);
  await attackers.stop();
  const rows = neighbors.map(({ name }, at) => {
    const growth = beside[at]! / alone[at]!;
    return [
      name,
      alone[at]!.toFixed(2),
      beside[at]!.toFixed(2),
      name === BARE ? growth.toFixed(2) : againstMost(growth, MAX_GROWTH),
    ];
  });
  return formatTable(["neighbor", "p99 ms alone", "p99 ms beside", "growth"], rows);
}

/** Runs the bench and returns its report. */
export async function benchFunctions(): Promise<string> {
  return await withHttpsPlace(async (place) => {
    await deployStep(place);
    const steps = await stepTable(place);
    const { folder, platform: { port } } = place;
    const neighbors = await withBare(
      folder,
      { port, host: HOST, paths: ["/plain"] },
      (bare) => neighborTable(place, bare),
    );
    return `A request step that does nothing (svc ${describeProgram()})\n\n${steps}\n\n` +
      `Next to ${
        Object.keys(HOSTILE).join(", ")
      } of another project, ${NEIGHBOR.connections} connections\n\n${neighbors}`;
  });
}

/**
 * The memory that cached pages take: each is asked for until every edge thread may hold it.
 *
 * @module
 */
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type BenchPlace, withBenchPlace } from "./_bench_place.ts";

const PAGES = 10_000;
/** A miss, a hit in the platform that is copied, and hits in threads. */
const ROUNDS = 4;
const CONNECTIONS = 16;
/** What was left to collect is gone by then, in milliseconds. */
const SETTLED_MS = 3000;

const FUNCTION = `const page = "0123456789abcde ".repeat(13 * 64);
export default ({ url }) => new Response(new URL(url).pathname + page);
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "pages"
condition = { path = { type = "prefix", value = "/page/" } }
action = { type = "pipeline", steps = [{ handle = "page" }] }
[[rules]]
id = "cached"
condition = { path = { type = "prefix", value = "/page/" } }
action = { type = "cache", ttlSeconds = 3600 }
`;

async function deployPages({ site, tool }: BenchPlace): Promise<void> {
  await Deno.mkdir(`${site}/functions`);
  await Deno.writeTextFile(`${site}/functions/page.js`, FUNCTION);
  await Deno.writeTextFile(`${site}/svc.rules.toml`, RULES);
  await Deno.writeTextFile(`${site}/index.html`, "<h1>Bench</h1>");
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod"]);
}

/** Asks for a page; whether it came from a cache. */
function ask(agent: Agent, port: number, number: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    request({
      ...{ hostname: "127.0.0.1", port, path: `/page/${number}`, agent },
      headers: { host: "bench.localhost" },
    }, (response) => {
      const { statusCode, headers } = response;
      if (statusCode !== 200) reject(new Error(`/page/${number}: status ${statusCode}`));
      response.resume().on("end", () => resolve(headers["x-svc-cache"] === "HIT"));
    }).on("error", reject).end();
  });
}

/** Asks for all pages once over connections that stay open; returns the share of hits. */
async function askForAll(agents: readonly Agent[], port: number): Promise<number> {
  let [next, hits] = [0, 0];
  await Promise.all(agents.map(async (agent) => {
    while (next < PAGES) if (await ask(agent, port, next++)) hits++;
  }));
  return hits / PAGES;
}

export interface CachedPagesMemory {
  readonly threads: number;
  /** Megabytes, before and after. */
  readonly empty: number;
  readonly full: number;
  /** Share of the last requests that were hits. */
  readonly hits: number;
}

/** Memory of a platform before and after it has answered with the pages. */
export async function cachedPagesMemory(
  threads: number,
  memoryOf: (pid: number) => Promise<number>,
): Promise<CachedPagesMemory> {
  return await withBenchPlace(async (place) => {
    const { port, pid } = place.platform;
    await deployPages(place);
    const agents = Array.from(
      { length: CONNECTIONS },
      () => new Agent({ keepAlive: true, maxSockets: 1 }),
    );
    await ask(agents[0]!, port, 0);
    await delay(SETTLED_MS);
    const empty = await memoryOf(pid);
    let hits = 0;
    for (let round = 0; round < ROUNDS; round++) hits = await askForAll(agents, port);
    for (const agent of agents) agent.destroy();
    await delay(SETTLED_MS);
    return { threads, empty, full: await memoryOf(pid), hits };
  }, { args: ["--edge-threads", String(threads), "--cache-size", "512MiB"] });
}

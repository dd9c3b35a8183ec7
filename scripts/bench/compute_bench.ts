/**
 * Servers of deployments: the first request to a stopped server, svc's overhead compared with the
 * same server alone, and cached pages compared with static files.
 *
 * @module
 */
import { join } from "node:path";
import { fetchByHost } from "../_fetch_by_host.ts";
import { type BenchPlace, describeProgram, withHttpsPlace } from "./_bench_place.ts";
import { type Cost, load, loadProcess } from "./_load.ts";
import { withPeers } from "./_peers.ts";
import { race, type Runner } from "./_race.ts";
import { againstAim, formatTable, median, whole } from "./_table.ts";

const HOST = "bench.localhost";
const COLD_STARTS = 6;
const ROUNDS = 4;
const SECONDS = 2;

/** Maximum overhead per request compared with the server alone, in milliseconds. */
const MOST_ADDED_MS = 0.5;

/** Returns a peer's name in tables. Unlike svc's, its CPU time excludes the server behind it. */
const inFront = (peer: string): string => `${peer} in front`;

/**
 * Minimum ratio of svc's rate to each peer's, for a server that does nothing and for a server that
 * renders a page.
 */
const IDLE_AIMS = { [inFront("nginx")]: 0.6, [inFront("Caddy")]: 1.3 };
const PAGE_AIMS = { [inFront("nginx")]: 0.9 };

const PAGE = "0123456789abcdef".repeat(64);

/** `/` does no work. `/list` renders a page as real projects do, which takes about 0.3 ms. */
const SERVER = `
import { createServer } from "node:http";
const page = "${PAGE}";
const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => SIGNS[sign]);
const items = Array.from({ length: 300 }, (_, id) => ({
  id,
  name: "Lamp & shade <" + id + ">",
  text: 'A "good" lamp, with a bulb of ' + id + " watts & a cable",
  price: id * 1.05 + 9.5,
}));
const row = ({ id, name, text, price }) =>
  \`<li class="\${id % 2 === 0 ? "even" : "odd"}"><a href="/items/\${escape(id)}">\${escape(name)}</a>\` +
  \`<p>\${escape(text)}</p><b>\${escape(price.toFixed(2))} EUR</b></li>\`;
const list = () =>
  "<!doctype html><title>Lamps</title><ul>" + items.map(row).join("") + "</ul>";
createServer((request, response) => {
  if (request.url === "/list") {
    response.setHeader("content-type", "text/html; charset=utf-8");
    return response.end(list());
  }
  response.setHeader("content-type", "text/plain");
  response.setHeader("content-length", String(page.length));
  response.end(page);
}).listen(Number(process.env.PORT), process.env.HOST, function () {
  if (process.env.TELL) console.log(this.address().port);
});
`;

const ENGINES = ["deno", "node"] as const;

const manifestFor = (engine: (typeof ENGINES)[number]) => ({
  version: 1,
  layers: [
    { name: "files", target: "STATIC", directory: "assets" },
    {
      name: "app",
      target: "COMPUTE",
      directory: "server",
      entry: "server/entry.mjs",
      runtime: { engine },
    },
  ],
  routes: [
    { pattern: "^/kept/", layer: "app", priority: 2, revalidate: 60 },
    { pattern: "^/files/", layer: "files", priority: 1 },
    { pattern: "^/.*$", layer: "app" },
  ],
});

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    await Deno.mkdir(join(target, ".."), { recursive: true });
    await Deno.writeTextFile(target, text);
  }
}

/** Calls `run` with the server by itself, as a plain program. */
async function withServerAlone<T>(
  folder: string,
  run: (alone: { readonly pid: number; readonly port: number }) => Promise<T>,
): Promise<T> {
  const entry = join(folder, "alone.mjs");
  await Deno.writeTextFile(entry, SERVER);
  const child = new Deno.Command("deno", {
    args: ["run", "--no-config", "-A", entry],
    env: { PORT: "0", HOST: "127.0.0.1", TELL: "1" },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    return await run({ pid: child.pid, port: Number((await reader.read()).value) });
  } finally {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
}

/**
 * Returns how long servers that have never run take to respond to their first request, in
 * milliseconds.
 */
async function coldStarts(
  { site, tool, platform }: BenchPlace,
  engine: (typeof ENGINES)[number],
): Promise<number[]> {
  const times: number[] = [];
  await write(join(site, "dist"), { ".svc/manifest.json": JSON.stringify(manifestFor(engine)) });
  for (let round = 0; round < COLD_STARTS; round++) {
    await Deno.writeTextFile(join(site, "dist/assets/files/round.txt"), `${engine} ${round}`);
    const { answer } = await tool(["deploy", "--skip-build"]);
    const host = new URL(String(answer.url)).hostname;
    const started = performance.now();
    const { status } = await fetchByHost({ port: platform.port, host, path: "/" });
    if (status !== 200) throw new Error(`The first request returned status ${status}`);
    times.push(performance.now() - started);
  }
  return times;
}

/** Returns the mean time of a request over one connection, in milliseconds. */
async function delayOf(runner: Runner): Promise<number> {
  const { requestsPerSecond } = await load({ ...runner, path: "/", seconds: 1, connections: 1 });
  return 1000 / requestsPerSecond;
}

async function delays(svc: Runner, alone: Runner): Promise<string> {
  const times = { svc: [] as number[], alone: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(await delayOf(alone));
    times.svc.push(await delayOf(svc));
  }
  const [direct, through] = [median(times.alone), median(times.svc)];
  const added = through - direct;
  const verdict = added < MOST_ADDED_MS ? "met" : "missed";
  return formatTable(["one connection", "ms a request", "added ms"], [
    ["server alone", direct.toFixed(3), ""],
    ["svc", through.toFixed(3), `${added.toFixed(3)} (aim < ${MOST_ADDED_MS}, ${verdict})`],
  ]);
}

/** Compares cached pages with a static file that has the same content. */
async function keptPages(svc: Runner): Promise<string> {
  const paths = ["/files/page.txt", "/kept/page"];
  const costs = new Map<string, Cost[]>(paths.map((path) => [path, []]));
  for (const path of paths) await load({ ...svc, path, seconds: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of round % 2 === 0 ? paths : paths.toReversed()) {
      costs.get(path)!.push(await loadProcess({ ...svc, path, seconds: SECONDS }));
    }
  }
  const [file, kept] = paths.map((path) => ({
    rate: median(costs.get(path)!.map(({ requestsPerSecond }) => requestsPerSecond)),
    processorUs: median(costs.get(path)!.map(({ processorUs }) => processorUs)).toFixed(1),
  }));
  const against = againstAim(kept!.rate / file!.rate, 0.8);
  return formatTable(["1 KB, 32 connections", "requests/s", "cpu us", "relative to the file"], [
    ["static file", whole(file!.rate), file!.processorUs, ""],
    ["cached page (ISR hit)", whole(kept!.rate), kept!.processorUs, against],
  ]);
}

/** Measures cold starts, overhead and cached pages, and returns the report. */
export async function benchCompute(): Promise<string> {
  return await withHttpsPlace(async (place) => {
    const { folder, site, certificate } = place;
    await write(join(site, "dist"), {
      "server/entry.mjs": SERVER,
      "assets/files/page.txt": PAGE,
    });
    await place.tool(["init", "--name", "bench", "--create"]);
    const cold: string[] = [];
    for (const engine of ENGINES.toReversed()) {
      // The first start may download Node.
      const times = (await coldStarts(place, engine)).slice(1);
      cold.push(
        `First request to a stopped server on ${engine}: ${whole(median(times))} ms ` +
          `(${whole(Math.min(...times))} - ${whole(Math.max(...times))})`,
      );
    }
    await place.tool(["deploy", "--prod", "--skip-build"]);
    return await withServerAlone(folder, async (server) => {
      const origin = { url: `http://127.0.0.1:${server.port}`, cached: false };
      const front = { folder, root: site, certificate, redirects: new Map(), origin };
      const svc: Runner = { ...place.platform, name: "svc", host: HOST };
      const alone: Runner = { ...server, name: "server alone", host: HOST };
      const through = (path: string, aims: Readonly<Record<string, number>>): Promise<string> =>
        withPeers(front, (peers) => {
          const proxies = peers.map((peer) => ({ ...peer, name: inFront(peer.name), host: HOST }));
          return race([svc, alone, ...proxies], { path, rounds: ROUNDS, seconds: SECONDS, aims });
        });
      return [
        `Servers of deployments (svc ${describeProgram()})`,
        ...cold,
        `Warm, a server that does nothing, 1 KB, 32 requests at once\n${await through(
          "/",
          IDLE_AIMS,
        )}`,
        `Warm, a page of 300 items rendered, 32 requests at once\n${await through(
          "/list",
          PAGE_AIMS,
        )}`,
        await delays(svc, alone),
        await keptPages(svc),
      ].join("\n\n");
    });
  });
}

/**
 * Queues, as a server uses them over HTTP, beside lists of a Redis (Debian) that flushes each
 * write as well. A message of svc is a signed request to the server, and its record is deleted
 * when the server has responded; an element of Redis is only taken from the list.
 *
 * @module
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fetchByHost } from "../_fetch_by_host.ts";
import { describeProgram, withBenchPlace } from "./_bench_place.ts";
import { processorTime } from "./_processor_time.ts";
import { withRedis } from "./_redis.ts";
import { formatTable, median, whole } from "./_table.ts";

const CLIENTS = 50;
/** Both runs of a round are within what an environment may send. */
const MESSAGES = 2000;
const VALUE_BYTES = 100;
const ROUNDS = 3;
/** Elements that Redis gets and gives. */
const ELEMENTS = 20_000;
/** Longest time of one run, in milliseconds. */
const MOST_MS = 120_000;

interface Cost {
  readonly perSecond: number;
  /** Processor time of a message, with that of the server that sends and gets it. */
  readonly processorUs: number;
}

interface Costs {
  readonly sent: Cost;
  readonly delivered: Cost;
}

/** `/later` stores messages, `/now` waits until all have come back; then `/rate` has the rate. */
const SERVER = `
import { createServer } from "node:http";
const { SVC_QUEUE_URL, SVC_QUEUE_TOKEN } = process.env;
const headers = { authorization: "Bearer " + SVC_QUEUE_TOKEN, "content-type": "text/plain" };
const body = "x".repeat(${VALUE_BYTES});
let came = 0;
let allCame = () => {};
let rate = "";
async function run(queue, options) {
  const end = new Promise((resolve) => allCame = resolve);
  let left = ${MESSAGES};
  const url = SVC_QUEUE_URL + "/" + queue + "/messages" + options;
  const started = performance.now();
  await Promise.all(Array.from({ length: ${CLIENTS} }, async () => {
    while (left-- > 0) {
      const response = await fetch(url, { method: "POST", headers, body });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  }));
  if (options === "") await end;
  return ${MESSAGES} * 1000 / (performance.now() - started);
}
createServer((request, response) => {
  if (request.url === "/jobs/now") {
    if (++came === ${MESSAGES}) allCame();
    return request.resume().on("end", () => response.end());
  }
  if (request.url !== "/rate") {
    rate = "";
    const isLater = request.url === "/later";
    run(isLater ? "later" : "now", isLater ? "?delay=86400" : "")
      .then((found) => rate = String(found), (error) => rate = String(error));
  }
  response.end(rate);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const MANIFEST = {
  version: 1,
  layers: [{ name: "app", target: "COMPUTE", directory: "server", entry: "server/entry.mjs" }],
  routes: [{ pattern: "^/.*$", layer: "app" }],
  queues: ["now", "later"].map((name) => ({
    name,
    path: `/jobs/${name}`,
    concurrency: CLIENTS,
  })),
};

function measureOwn(): Promise<Costs> {
  return withBenchPlace(async ({ site, tool, platform: { pid, port } }) => {
    for (const folder of [".svc", "server"]) {
      await Deno.mkdir(join(site, "dist", folder), { recursive: true });
    }
    await Deno.writeTextFile(join(site, "dist/.svc/manifest.json"), JSON.stringify(MANIFEST));
    await Deno.writeTextFile(join(site, "dist/server/entry.mjs"), SERVER);
    await tool(["init", "--name", "bench", "--create"]);
    await tool(["deploy", "--prod", "--skip-build"]);
    const ask = async (path: string) =>
      (await fetchByHost({ port, host: "bench.localhost", path })).text;
    const measure = async (path: string): Promise<Cost> => {
      const before = processorTime(pid);
      await ask(path);
      const end = performance.now() + MOST_MS;
      for (let text = ""; performance.now() < end; text = await ask("/rate")) {
        const processorUs = (processorTime(pid) - before) * 1000 / MESSAGES;
        if (Number(text) > 0) return { perSecond: Number(text), processorUs };
        if (text !== "") throw new Error(text);
        await delay(200);
      }
      throw new Error(`${path} did not end within ${MOST_MS} ms`);
    };
    return { sent: await measure("/later"), delivered: await measure("/now") };
  });
}

async function measureRedis(): Promise<Costs> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-queues-" });
  try {
    return await withRedis(folder, async ({ pid, measure }) => {
      const cost = async (test: string): Promise<Cost> => {
        const before = processorTime(pid);
        const perSecond = await measure({
          test,
          clients: CLIENTS,
          valueBytes: VALUE_BYTES,
          requests: ELEMENTS,
        });
        return { perSecond, processorUs: (processorTime(pid) - before) * 1000 / ELEMENTS };
      };
      const [sent, taken] = [await cost("lpush"), await cost("rpop")];
      const perSecond = 1 / (1 / sent.perSecond + 1 / taken.perSecond);
      const processorUs = sent.processorUs + taken.processorUs;
      return { sent, delivered: { perSecond, processorUs } };
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the bench, each side in turn, and returns its report with the medians. */
export async function benchQueues(): Promise<string> {
  const [own, redis]: [Costs[], Costs[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    own.push(await measureOwn());
    redis.push(await measureRedis());
  }
  const row = (name: string, kind: keyof Costs): string[] => {
    const middle = (of: keyof Cost) =>
      [own, redis].map((all) => median(all.map((each) => each[kind][of])));
    const [ours, theirs] = middle("perSecond");
    const times = middle("processorUs").map(whole);
    return [name, whole(ours!), whole(theirs!), (ours! / theirs!).toFixed(3), ...times];
  };
  const headings = ["a second", "svc", "Redis", "ratio", "svc cpu us", "Redis cpu us"];
  return `${CLIENTS} clients, ${VALUE_BYTES} bytes, medians of ${ROUNDS} rounds ` +
    `(svc ${describeProgram()})\n\n` +
    formatTable(headings, [
      row("send, LPUSH", "sent"),
      row("send and deliver, LPUSH and RPOP", "delivered"),
    ]);
}

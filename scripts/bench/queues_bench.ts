/**
 * Compares queues, as a server uses them over HTTP, with pg-boss on a plain PostgreSQL and with
 * Redis lists (both from Debian), which also flush each write. In svc, a message is sent to the
 * server as a signed request, and its record is deleted once the server has responded. In pg-boss,
 * a job is fetched and completed. In Redis, an element is only taken from the list.
 *
 * @module
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fetchByHost } from "../_fetch_by_host.ts";
import { describeProgram, withBenchPlace } from "./_bench_place.ts";
import { processorTime } from "./_processor_time.ts";
import { withPgBoss } from "./_pg_boss.ts";
import { withRedis } from "./_redis.ts";
import { formatTable, median, whole } from "./_table.ts";

const CLIENTS = 50;
/**
 * Both runs of a round together stay below the number of messages that an environment can send in
 * 10 seconds.
 */
const MESSAGES = 2000;
const VALUE_BYTES = 100;
const ROUNDS = 3;
/** Number of elements per Redis call. */
const ELEMENTS = 20_000;
/** Maximum time of one run, in milliseconds. */
const MOST_MS = 120_000;

interface Cost {
  readonly perSecond: number;
  /** CPU time per message. For svc and pg-boss, it includes both sender and receiver. */
  readonly processorUs: number;
}

interface Costs {
  readonly sent: Cost;
  readonly delivered: Cost;
}

/**
 * `/later` stores messages, and `/now` waits until all of them are delivered. After that, `/rate`
 * returns the rate.
 */
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
  const isLater = request.url === "/later";
  // Others look at the server too, such as the check of a deployment.
  if (isLater || request.url === "/now") {
    rate = "";
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

async function measurePgBoss(): Promise<Costs> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-queues-" });
  try {
    return await withPgBoss(folder, async ({ send, take }) => {
      const body = "x".repeat(VALUE_BYTES);
      /** The server is a child of this process. */
      const measure = async (work: () => Promise<void>): Promise<Cost> => {
        const [started, before] = [performance.now(), processorTime(Deno.pid)];
        await work();
        const perSecond = MESSAGES * 1000 / (performance.now() - started);
        return { perSecond, processorUs: (processorTime(Deno.pid) - before) * 1000 / MESSAGES };
      };
      const sendAll = async () => {
        let left = MESSAGES;
        await byClients(async () => {
          while (left-- > 0) await send(body);
        });
      };
      const sent = await measure(sendAll);
      const takeAll = () =>
        byClients(async () => {
          while (await take());
        });
      await takeAll();
      const delivered = await measure(async () => {
        await sendAll();
        await takeAll();
      });
      return { sent, delivered };
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const byClients = async (work: () => Promise<void>): Promise<void> =>
  void await Promise.all(Array.from({ length: CLIENTS }, work));

const SIDES = [
  { name: "svc", measure: measureOwn },
  { name: "pg-boss", measure: measurePgBoss },
  { name: "Redis", measure: measureRedis },
];

/** Runs the bench, alternating between the queues, and returns its report with the medians. */
export async function benchQueues(): Promise<string> {
  const costs = SIDES.map((): Costs[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { measure }] of SIDES.entries()) costs[at]!.push(await measure());
  }
  const row = (name: string, kind: keyof Costs): string[] => {
    const middle = (of: keyof Cost) =>
      costs.map((all) => median(all.map((each) => each[kind][of])));
    const rates = middle("perSecond");
    const [own = 0, ...others] = rates;
    const ratios = others.map((other) => (own / other).toFixed(3));
    return [name, ...rates.map(whole), ...ratios, ...middle("processorUs").map(whole)];
  };
  const names = SIDES.map(({ name }) => name);
  const ofOthers = names.slice(1).map((name) => `of ${name}`);
  const headings = ["a second", ...names, ...ofOthers, ...names.map((name) => `${name} cpu us`)];
  return `${CLIENTS} clients, ${VALUE_BYTES} bytes, medians of ${ROUNDS} rounds ` +
    `(svc ${describeProgram()})\n\n` +
    formatTable(headings, [
      row("send, LPUSH", "sent"),
      row("send and deliver, LPUSH and RPOP", "delivered"),
    ]);
}

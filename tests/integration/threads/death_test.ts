import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import { processorTime } from "../../../scripts/bench/_processor_time.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer, PATIENT_MANIFEST } from "../../helpers/compute_site.ts";
import { createProject, processOf, PROGRAM, type TestPlatform } from "../../helpers/platform.ts";
import { socketsOf } from "../../helpers/sockets.ts";
import { withEndingThreads } from "../../helpers/thread_ends.ts";
import { publish, rule } from "../../helpers/upstreams.ts";
import { ClientConnection, type HeldRequest, type Wanted } from "./_held_requests.ts";

const [SHOP, DESK] = ["shop.localhost", "desk.localhost"];
const THREADS = 3;
/** More than the buffers of both sockets hold, so that a client that does not read holds it up. */
const FILE = Buffer.alloc(7_500_000, "The quick brown fox jumps over the lazy dog. ");
const FILE_URL = `${SHOP}/large.bin`;
const ECHO = Buffer.alloc(100_000, "0123456789abcdef ");

/** One for each way in which a thread answers: a file, a function, a server. */
const WANTED: readonly Wanted[] = [
  { host: SHOP, path: "/large.bin", content: FILE, isEcho: false },
  { host: SHOP, path: "/echo", content: ECHO, isEcho: true },
  { host: DESK, path: "/api/echo", content: ECHO, isEcho: true },
];

const pipeline = (name: string) =>
  rule(name, { type: "pipeline", steps: [{ handle: name }] }, `/${name}`);

async function deployAll(platform: TestPlatform): Promise<void> {
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    files: { "large.bin": FILE },
    functions: {
      echo: `export default (request) => new Response(request.body);`,
      // Each thread has a worker of its own, and the platform another one.
      where: `const worker = crypto.randomUUID();
      export default () => new Response(worker);`,
    },
    rules: [pipeline("echo"), pipeline("where")],
  });
  await createProject(platform, "desk");
  await deployServer(platform, "desk", {
    manifest: PATIENT_MANIFEST,
    prod: true,
    server: `
import { createServer } from "node:http";
createServer((request, response) => request.pipe(response)).listen(process.env.PORT);
`,
  });
}

/** The worker that answers a connection: the one of its thread, once that calls functions itself. */
const workerOf = async (connection: ClientConnection): Promise<string> => {
  const [status, worker] = (await connection.get(SHOP, "/where")).split(" ");
  assert.equal(status, "200");
  return worker!;
};

/** The worker that answers a new connection. */
async function workerOfNew({ port }: TestPlatform): Promise<string> {
  const connection = new ClientConnection(port);
  try {
    return await workerOf(connection);
  } finally {
    connection.close();
  }
}

/** Opens connections until each thread has one for each thing wanted; returns them by worker. */
async function openConnections(
  platform: TestPlatform,
  platformWorker: string,
): Promise<Map<string, ClientConnection[]>> {
  const byWorker = new Map<string, ClientConnection[]>();
  const isEnough = () =>
    byWorker.size === THREADS &&
    [...byWorker.values()].every(({ length }) => length >= WANTED.length);
  while (!isEnough()) {
    const connection = new ClientConnection(platform.port);
    const worker = await until(() => workerOf(connection), (worker) => worker !== platformWorker);
    byWorker.set(worker, [...byWorker.get(worker) ?? [], connection]);
  }
  return byWorker;
}

Deno.test("a thread that dies breaks off what it answers and nothing else, and is replaced", () =>
  withEndingThreads(THREADS, async ({ platform, endOne }) => {
    await deployAll(platform);
    const platformWorker = await workerOfNew(platform);
    const byWorker = await openConnections(platform, platformWorker);
    const held: (HeldRequest & { readonly worker: string })[] = [];
    for (const [worker, connections] of byWorker) {
      for (const [index, connection] of connections.entries()) {
        const request = await connection.hold(WANTED[index % WANTED.length]!);
        held.push({ ...request, worker });
      }
    }
    await endOne();
    const ended = /^error Edge thread \d+ has ended and is replaced: /;
    const reports = () => platform.logged.filter((line) => ended.test(line));
    await until(() => reports().length > 0);
    const outcomes = await Promise.all(held.map(async ({ worker, what, finish }) => ({
      ...{ worker, what },
      outcome: await finish(),
    })));
    const broken = outcomes.filter(({ outcome }) => outcome === "broken");
    const dead = new Set(broken.map(({ worker }) => worker));
    assert.equal(dead.size, 1, JSON.stringify(outcomes));
    // All of them were under way in it, and each kind was.
    assert.deepEqual(broken, outcomes.filter(({ worker }) => dead.has(worker)));
    assert.equal(new Set(broken.map(({ what }) => what)).size, WANTED.length);
    const known = new Set([platformWorker, ...byWorker.keys()]);
    await until(() => workerOfNew(platform).catch(() => platformWorker), (id) => !known.has(id));
    const workers = await Promise.all(Array.from({ length: 60 }, () => workerOfNew(platform)));
    assert.deepEqual(workers.filter((worker) => dead.has(worker)), []);
    assert.equal(new Set(workers).size, THREADS, "expected as many threads as before");
    // The runtime itself closes a connection whose request has a response before its own end.
    const kept = held.filter(({ worker, what }) => !dead.has(worker) && what === FILE_URL);
    assert.ok(kept.length >= THREADS - 1);
    for (const { connection, worker } of kept) assert.equal(await workerOf(connection), worker);
    assert.equal(reports().length, 1, reports().join("\n"));
    for (const connection of [...byWorker.values()].flat()) connection.close();
  }));

/** `THREAD_DEATHS=20` makes it long, and has it print how long a thread was missed. */
const DEATHS = PROGRAM === undefined ? 1 : Number(Deno.env.get("THREAD_DEATHS") ?? 2);

/** Resolves when a process has next to nothing to do: a thread that starts has loaded its code. */
async function whenIdle(pid: number): Promise<void> {
  await until(async () => {
    const before = processorTime(pid);
    await delay(200);
    return processorTime(pid) - before <= 20;
  });
}

/** The middle of some times in milliseconds, what 19 of 20 keep to, and the most. */
function spread(times: readonly number[]): string {
  const sorted = times.map(Math.round).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1];
  return `${at(0.5)} ms, p95 ${at(0.95)}, most ${at(1)}`;
}

Deno.test({
  name: "each time that a thread dies, a spare one listens in its place",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withEndingThreads(2, async ({ platform, endOne }) => {
      const pid = processOf(platform);
      const listening = () => socketsOf(pid).listening;
      const reports = () =>
        platform.logged.filter((line) => /has ended and is replaced/.test(line));
      const asked: number[] = [];
      const broken: number[] = [];
      for (let death = 1; death <= DEATHS; death++) {
        const before = listening();
        assert.equal(before.size, 2);
        await whenIdle(pid);
        const started = performance.now();
        const ending = endOne().then(() => performance.now());
        await until(() => {
          const now = listening();
          return now.size === 2 && now.symmetricDifference(before).size === 2;
        });
        const ended = performance.now();
        asked.push(ended - started);
        broken.push(Math.max(0, ended - await ending));
        await until(() => reports().length === death);
      }
      if (DEATHS > 2) {
        // deno-lint-ignore no-console -- the long form is run for these times
        console.log(`Until another thread listens, after the request: ${spread(asked)}`);
        // deno-lint-ignore no-console -- the same
        console.log(`After the connection of that request broke: ${spread(broken)}`);
      }
    }),
});

/**
 * Kills servers and the platform with `kill -9` under load. Afterwards, the site must work again,
 * no process may remain, and no request may hang longer than its timeout.
 *
 * The test looks for processes in `/proc`, so it runs only on Linux.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const HOST = "crash.localhost";

/** The request timeout in the manifest, in milliseconds. */
const TIMEOUT_MS = 1500;
/**
 * Maximum time for a response, in milliseconds. Includes a start after a crash, the timeout, and
 * delays on a busy machine.
 */
const PATIENCE_MS = 8_000;

const CLIENTS = 6;

const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url === "/api/hang") return;
  setTimeout(() => response.end("pid " + process.pid), 5);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const MANIFEST = {
  version: 1,
  layers: [
    { name: "files", target: "STATIC", directory: "." },
    {
      name: "app",
      target: "COMPUTE",
      directory: "server",
      entry: "server/entry.mjs",
      runtime: { timeoutMs: TIMEOUT_MS },
    },
  ],
  routes: [
    { pattern: "^/api/", layer: "app", priority: 1 },
    { pattern: "^/.*$", layer: "files" },
  ],
};

async function writeSite(site: string): Promise<void> {
  for (const folder of [".svc", "server"]) {
    await Deno.mkdir(join(site, folder), { recursive: true });
  }
  await Deno.writeTextFile(join(site, ".svc/manifest.json"), JSON.stringify(MANIFEST));
  await Deno.writeTextFile(join(site, "server/entry.mjs"), SERVER);
  await Deno.writeTextFile(join(site, "index.html"), "home");
}

/**
 * Finds the server processes that were started by one of these processes or by another server
 * process.
 */
function serverProcesses(parents: ReadonlySet<number>): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (!/compute.process|compute\/process_main/.test(command)) continue;
      const parent = Number(
        /^PPid:\s*(\d+)/m.exec(Deno.readTextFileSync(`/proc/${name}/status`))?.[1],
      );
      if (parents.has(parent) || found.includes(parent)) found.push(Number(name));
    } catch {
      // The process has exited in the meantime.
    }
  }
  return found;
}

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s*Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
};

interface Load {
  /** Number of responses by status. A failed connection counts as status 0. */
  readonly statuses: Map<number, number>;
  longestMs: number;
  stop(): Promise<void>;
}

/** Sends requests continuously. Every tenth request hangs. */
function startLoad(box: Sandbox): Load {
  let isOver = false;
  const load = { statuses: new Map<number, number>(), longestMs: 0 };
  const client = async (number: number) => {
    for (let round = number; !isOver; round++) {
      const began = performance.now();
      const path = round % 10 === 0 ? "/api/hang" : "/api/pid";
      const status = await box.page(HOST, path).then((answer) => answer.status, () => 0);
      load.longestMs = Math.max(load.longestMs, performance.now() - began);
      load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1);
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return Object.assign(load, {
    async stop() {
      isOver = true;
      await clients;
    },
  });
}

const comesBack = (box: Sandbox) =>
  until(
    async () => await box.page(HOST, "/api/pid").then(({ status }) => status === 200, () => false),
  );

Deno.test({
  name: "servers and the platform recover from kill -9 under load and leave nothing behind",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withSandbox(async (box) => {
      let platform = await box.start();
      await box.json(["init", "--name", "crash", "--create"]);
      await writeSite(box.site);
      await box.json(["deploy", "--prod", "--skip-build"]);
      await comesBack(box);
      const load = startLoad(box);

      for (let round = 0; round < 3; round++) {
        await new Promise((resolve) => setTimeout(resolve, 700));
        const servers = serverProcesses(new Set([platform.pid]));
        assert.ok(servers.length > 0, "There is no server to kill");
        for (const pid of servers) Deno.kill(pid, "SIGKILL");
        await comesBack(box);
      }

      for (let round = 0; round < 2; round++) {
        const servers = serverProcesses(new Set([platform.pid]));
        assert.ok(servers.length > 0);
        await platform.kill();
        await until(() => !servers.some(isAlive));
        platform = await box.start();
        await comesBack(box);
      }

      await until(() => (load.statuses.get(200) ?? 0) > 50);
      await load.stop();
      const told = JSON.stringify(Object.fromEntries(load.statuses));
      assert.ok(load.longestMs < TIMEOUT_MS + PATIENCE_MS, `${load.longestMs} ms; ${told}`);
      for (const status of load.statuses.keys()) {
        assert.ok([0, 200, 502, 503, 504].includes(status), told);
      }
      const last = serverProcesses(new Set([platform.pid]));
      const folders = Array.from(Deno.readDirSync(`${box.dataDir}/run`), ({ name }) => name);
      assert.equal(folders.length, last.length, "No socket of a killed platform remains");
      assert.equal(await platform.stop(), 0);
      await until(() => !last.some(isAlive));
      assert.throws(() => Deno.statSync(`${box.dataDir}/run`), Deno.errors.NotFound);
      await Deno.stderr.write(
        new TextEncoder().encode(`longest ${Math.round(load.longestMs)} ms, statuses ${told}\n`),
      );
    }),
});

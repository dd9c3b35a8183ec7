/**
 * Edges and their platform are killed again and again: visitors behind a balancer get every page, and
 * no acknowledged deployment is lost. `KILL_ROUNDS` sets how many rounds are run.
 */
// deno-lint-ignore-file no-console -- the numbers are what its long form is run for
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { addEdge, startEdge, type TestEdge } from "../../helpers/front_edge.ts";
import {
  createProject,
  deploy,
  processOf,
  rawRequest,
  start,
  type TestPlatform,
} from "../../helpers/platform.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 2);
const HOST = "shop.localhost";

/** Longest time in which a balancer finds an edge that responds, in milliseconds. */
const LIMIT_MS = Deno.env.has("KILL_ROUNDS") ? 1000 : 10_000;

/** Sends requests to one port after the other until one responds. */
class Balancer {
  readonly slow: string[] = [];
  readonly failed: string[] = [];
  /** The port of an edge that is killed and starts again. */
  victim: number | undefined;
  requests = 0;
  retries = 0;

  constructor(readonly ports: readonly number[]) {}

  async get(): Promise<string> {
    const began = performance.now();
    for (let at = this.requests++;; at++) {
      const port = this.ports[at % this.ports.length]!;
      const answer = await rawRequest(port, { host: HOST, path: "/" }).catch(String);
      if (typeof answer !== "string" && answer.status === 200) {
        const took = performance.now() - began;
        if (took > LIMIT_MS) this.slow.push(`${took} ms`);
        return answer.text;
      }
      if (port !== this.victim) this.failed.push(JSON.stringify(answer));
      this.retries++;
      assert.ok(performance.now() - began < 60_000, "no edge responds");
    }
  }
}

Deno.test("edges and platform are killed: every page is served, and no deployment lost", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, "data");
    let platform: TestPlatform = await start(dataDir);
    const edges: TestEdge[] = [];
    try {
      await createProject(platform, "shop");
      const { port } = platform;
      let acknowledged = "version 0";
      let begun = acknowledged;
      const deployNext = async (version: string) => {
        begun = version;
        await deploy(platform, "shop", { files: { "index.html": version } });
        acknowledged = version;
      };
      await deployNext(acknowledged);
      for (const name of ["far", "near"]) edges.push(await addEdge(platform, name));
      const keys = edges.map(({ name, key, port }) => ({ name, key, port }));
      const balancer = new Balancer(edges.map(({ port }) => port));
      for (const edge of edges) assert.equal((await edge.get(HOST, "/")).text, acknowledged);
      let isOver = false;
      const visitors = (async () => {
        while (!isOver) {
          assert.match(await balancer.get(), /^version \d+$/);
          await delay(5);
        }
      })().catch((error) => balancer.failed.push(String(error)));
      for (let round = 1; round <= ROUNDS; round++) {
        // An edge, the platform, the other edge.
        const victim = (2 * round - 1) % 3;
        const changing = deployNext(`version ${round}`).catch(() => {});
        if (victim === 0) {
          await changing;
          // They must have the file before its source is gone.
          for (const edge of edges) await edge.get(HOST, "/");
          Deno.kill(processOf(platform), "SIGKILL");
          await platform.finished;
          await platform.shutdown().catch(() => {});
          platform = await start(dataDir, { port });
        } else {
          await delay(Math.random() * 300);
          balancer.victim = keys[victim - 1]!.port;
          await edges[victim - 1]!.kill();
          await changing;
          const join = `http://127.0.0.1:${port}`;
          edges[victim - 1] = await startEdge({ ...keys[victim - 1]!, join });
        }
        // What was under way may be there or not; all show the same.
        const shown = await until(() => platform.get(HOST, "/"), ({ status }) => status === 200);
        assert.ok([acknowledged, begun].includes(shown.text), `${shown.text} ${acknowledged}`);
        acknowledged = shown.text;
        for (const edge of edges) {
          await until(
            () => edge.get(HOST, "/"),
            ({ text, headers }) => text === shown.text && headers["x-svc-edge"] === edge.name,
          );
        }
        balancer.victim = undefined;
      }
      isOver = true;
      await visitors;
      assert.deepEqual(balancer.slow, []);
      assert.deepEqual(balancer.failed, []);
      if (Deno.env.has("KILL_ROUNDS")) {
        console.log(`${ROUNDS} rounds, ${balancer.requests} pages, ${balancer.retries} retries`);
      }
    } finally {
      for (const edge of edges) await edge.kill().catch(() => {});
      await platform.shutdown();
    }
  }));

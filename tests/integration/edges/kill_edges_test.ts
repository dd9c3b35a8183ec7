/**
 * Kills edges and their platform repeatedly. Visitors behind a load balancer must get every page,
 * and no acknowledged deployment may be lost. `KILL_ROUNDS` sets the number of rounds.
 */
// deno-lint-ignore-file no-console -- people run its long form to see the numbers
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

/** Maximum time in milliseconds for a load balancer to find an edge that responds. */
const LIMIT_MS = Deno.env.has("KILL_ROUNDS") ? 1000 : 10_000;

/** An idle server. If the machine delays this server, it also delays the edges. */
const IDLE = "Deno.serve({ hostname: '127.0.0.1', port: 0 }, () => new Response('idle'))";

/** Calls the idle server repeatedly. */
class Control implements AsyncDisposable {
  readonly #child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", `console.log((${IDLE}).addr.port)`],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  #waits: { readonly began: number; readonly took: number }[] = [];
  #isOver = false;
  #asking: Promise<void> | undefined;

  async start(): Promise<void> {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const port = Number(/\d+\n/.exec(text)?.[0]);
      this.#asking = this.#ask(port);
      // If a request fails, the error is thrown when the test ends.
      this.#asking.catch(() => {});
      return;
    }
  }

  async #ask(port: number): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now();
      await rawRequest(port, { host: "localhost", path: "/" });
      this.#waits = [...this.#waits.slice(-1000), { began, took: performance.now() - began }];
      await delay(20);
    }
  }

  /** Returns the longest response time since `since`, in milliseconds. */
  longestSince(since: number): number {
    const waits = this.#waits.filter(({ began, took }) => began + took >= since);
    return Math.max(0, ...waits.map(({ took }) => took));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#asking;
    this.#child.kill();
    await this.#child.status;
  }
}

/** Sends requests to one port after another until one responds. */
class Balancer {
  readonly slow: string[] = [];
  /** Slow responses at times when the machine also delayed the idle server. */
  readonly excused: string[] = [];
  readonly failed: string[] = [];
  /** The port of the edge that is killed and started again. */
  victim: number | undefined;
  requests = 0;
  retries = 0;

  constructor(readonly ports: readonly number[], readonly control: Control) {}

  async get(): Promise<string> {
    const began = performance.now();
    const tried: string[] = [];
    for (let at = this.requests++;; at++) {
      const port = this.ports[at % this.ports.length]!;
      const answer = await rawRequest(port, { host: HOST, path: "/" }).catch(String);
      if (typeof answer !== "string" && answer.status === 200) {
        const took = performance.now() - began;
        if (took > LIMIT_MS) {
          await delay(100);
          const control = this.control.longestSince(began);
          const told = `${took.toFixed()} ms, next to ${control.toFixed()} of an idle server` +
            `, the last at ${port === this.victim ? "the killed" : "the other"} edge, ${tried}`;
          (control > took / 4 ? this.excused : this.slow).push(told);
        }
        return answer.text;
      }
      tried.push(`${port === this.victim ? "killed" : "other"} ${performance.now() - began}`);
      if (port !== this.victim) this.failed.push(JSON.stringify(answer));
      this.retries++;
      assert.ok(performance.now() - began < 60_000, "no edge responds");
    }
  }
}

Deno.test("killing edges and the platform loses neither pages nor deployments", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, "data");
    let platform: TestPlatform = await start(dataDir);
    const edges: TestEdge[] = [];
    await using control = new Control();
    await control.start();
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
      const balancer = new Balancer(edges.map(({ port }) => port), control);
      for (const edge of edges) assert.equal((await edge.get(HOST, "/")).text, acknowledged);
      let isOver = false;
      const visitors = (async () => {
        while (!isOver) {
          assert.match(await balancer.get(), /^version \d+$/);
          await delay(5);
        }
      })().catch((error) => balancer.failed.push(String(error)));
      for (let round = 1; round <= ROUNDS; round++) {
        // Kills one edge, the platform and the other edge in turn.
        const victim = (2 * round - 1) % 3;
        const changing = deployNext(`version ${round}`).catch(() => {});
        if (victim === 0) {
          await changing;
          // The edges must have the file before the platform that it comes from stops.
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
        // A change in progress may or may not have been stored, but all edges must serve the same
        // page.
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
      const { requests, retries, excused, slow, failed } = balancer;
      if (Deno.env.has("KILL_ROUNDS")) {
        console.log(`${ROUNDS} rounds, ${requests} pages, ${retries} retries, excused:`, excused);
      }
      assert.deepEqual({ slow, failed }, { slow: [], failed: [] });
    } finally {
      for (const edge of edges) await edge.kill().catch(() => {});
      await platform.shutdown();
    }
  }));

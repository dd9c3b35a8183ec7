import assert from "node:assert/strict";
import { createProject, withPlatform } from "../../helpers/platform.ts";
import { publish } from "../../helpers/upstreams.ts";
import type { Visit } from "./_visitors.ts";

const HOST = "shop.localhost";
/** Longest time for which this thread is blocked, in milliseconds. */
const BLOCKED_MS = 20_000;

const at = (value: string) => ({ path: { type: "exact", value } });

/** Sixteen connections, which a kernel spreads over the edge threads. */
class Visitors implements Disposable {
  readonly #worker = new Worker(new URL("./_visitors.ts", import.meta.url), { type: "module" });

  constructor(private readonly port: number) {}

  /** What each connection is answered, each that many times. */
  ask(path: string, times: number, { isBlocked = false } = {}): Promise<string[]> {
    const done = new Int32Array(new SharedArrayBuffer(4));
    const answers = new Promise<string[]>((resolve) => {
      this.#worker.onmessage = ({ data }) => resolve(data);
    });
    const visit: Visit = { port: this.port, host: HOST, path, times, done };
    this.#worker.postMessage(visit);
    // The platform runs in this very thread: it does nothing until all are answered.
    if (isBlocked) assert.notEqual(Atomics.wait(done, 0, 0, BLOCKED_MS), "timed-out");
    return answers;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

for (const edgeThreads of [2, 4]) {
  Deno.test(`${edgeThreads} threads answer hits while the platform does nothing, until a purge`, () =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await publish(platform, "shop", {
        functions: { count: `let n = 0; export default () => new Response("answer " + ++n);` },
        rules: [
          {
            id: "up",
            condition: at("/up"),
            action: { type: "pipeline", steps: [{ handle: "count" }] },
          },
          { id: "cached", condition: at("/up"), action: { type: "cache", ttlSeconds: 600 } },
        ],
      });
      using visitors = new Visitors(platform.port);
      for (let round = 1; round <= 5; round++) {
        const [first, ...others] = [...new Set(await visitors.ask("/up", 3))].sort();
        assert.deepEqual([first, ...others], [`HIT answer ${round}`, `MISS answer ${round}`]);
        const hits = await visitors.ask("/up", 5, { isBlocked: true });
        assert.deepEqual([...new Set(hits)], [`HIT answer ${round}`]);
        const json = { type: "path", path: "/up" };
        const { status } = await platform.api("POST", "/v1/projects/shop/purge", { json });
        assert.equal(status, 200);
      }
    }, { edgeThreads }));
}

/**
 * How long an address is without an answer when the only edge thread dies: no other
 * listens than the spare one that takes its place.
 *
 * @module
 */
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../lib/_test_until.ts";
import { crash, withThreads } from "./_test_threads.ts";

/** Time between two attempts to connect, in milliseconds. */
const AGAIN_MS = 1;

/** Resolves when a new connection is answered. */
async function firstAnswer(ask: () => Promise<string>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch { /* nobody listens yet */ }
    await delay(AGAIN_MS);
  }
}

/**
 * Times from the moment at which a thread is made to fail to the first answer of the
 * thread in its place, in milliseconds.
 */
export async function benchReplacement(rounds: number): Promise<number[]> {
  const times: number[] = [];
  const agent = new Agent({ keepAlive: false });
  await withThreads(1, async ({ workers, informed, logged, ask }) => {
    for (let round = 0; round < rounds; round++) {
      const [listening] = await until(
        () => workers.slice(round),
        ([, next]) => next !== undefined && informed.has(next),
      );
      await ask("/", { agent });
      const known = logged.length;
      const forced = performance.now();
      crash(listening!);
      // Until then, the thread that fails may answer still.
      while (logged.length === known) await delay(AGAIN_MS);
      await firstAnswer(() => ask("/", { agent }));
      times.push(performance.now() - forced);
    }
  });
  return times;
}

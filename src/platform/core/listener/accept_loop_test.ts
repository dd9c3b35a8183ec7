import assert from "node:assert/strict";
import { acceptAll } from "./accept_loop.ts";

type Step = "connection" | "shortage";

/**
 * Runs the loop over the given steps, and records what the loop does. The listener closes after the
 * last step.
 */
async function run(steps: readonly Step[]): Promise<readonly string[]> {
  const done: string[] = [];
  let at = 0;
  await acceptAll<number>({
    accept: () => {
      const step = steps[at++];
      return step === "connection" ? Promise.resolve(at) : Promise.reject(new Error("os error 24"));
    },
    isClosed: () => at > steps.length,
    room: () => undefined,
    take: () => void done.push("take"),
    onShortage: (error) => void done.push(String(error)),
    pause: (milliseconds) => {
      done.push(`pause ${milliseconds}`);
      return Promise.resolve();
    },
  });
  return done;
}

Deno.test("acceptAll() continues after a shortage, with growing pauses that are later reset", async () => {
  const short: Step[] = Array.from({ length: 9 }, () => "shortage");
  const seen = await run([...short, "connection", "shortage"]);
  const pauses = seen.filter((line) => line.startsWith("pause")).map((line) =>
    Number(line.slice(6))
  );
  assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1000, 1000, 10]);
  assert.ok(seen.includes("take"));
});

Deno.test("acceptAll() waits until another connection is allowed before it accepts", async () => {
  const room = Promise.withResolvers<void>();
  let accepted = 0;
  let closed = false;
  const running = acceptAll<number>({
    accept: () => {
      accepted++;
      closed = true;
      return Promise.resolve(1);
    },
    isClosed: () => closed,
    room: () => room.promise,
    take: () => {},
    onShortage: () => {},
    pause: () => Promise.resolve(),
  });
  await Promise.resolve();
  assert.equal(accepted, 0);
  room.resolve();
  await running;
  assert.equal(accepted, 1);
});

import assert from "node:assert/strict";
import {
  BURNING_PRIORITY,
  CALM_PRIORITY,
  CpuWatch,
  procTimes,
  type ThreadTimes,
} from "./cpu_watch.ts";

/**
 * Watches a process whose threads compute and wait for as many milliseconds as a test sets.
 */
function watched() {
  let time = 0;
  let asked = 0;
  const threads = new Map<number, ThreadTimes>();
  const set: [number, number][] = [];
  const watch = new CpuWatch(1, {
    times: {
      process: () => [...threads.values()].reduce((sum, { ran }) => sum + ran, 0),
      threads: () => {
        asked++;
        return new Map(threads);
      },
    },
    now: () => time,
    setPriority: (thread, priority) => set.push([thread, priority]),
  });
  return {
    set,
    asked: () => asked,
    burn(
      times: Readonly<Record<number, number>>,
      milliseconds = 250,
      waits: Readonly<Record<number, number>> = {},
    ) {
      for (const [thread, spent] of Object.entries(times)) {
        const { ran, waited } = threads.get(Number(thread)) ?? { ran: 0, waited: 0 };
        threads.set(Number(thread), {
          ran: ran + spent,
          waited: waited + (waits[Number(thread)] ?? 0),
        });
      }
      time += milliseconds;
      watch.look();
    },
  };
}

Deno.test("CpuWatch lowers the priority only of threads that burn CPU time", () => {
  const { burn, set } = watched();
  burn({ 7: 10, 8: 10 });
  for (let window = 0; window < 4; window++) burn({ 7: 250, 8: 120 });
  assert.deepEqual(set, [[7, BURNING_PRIORITY]]);
  burn({ 7: 20, 8: 250 });
  assert.deepEqual(set.slice(1), [[8, BURNING_PRIORITY], [7, CALM_PRIORITY]]);
  burn({});
  assert.deepEqual(set.slice(3), [[8, CALM_PRIORITY]]);
});

Deno.test("CpuWatch detects a busy thread even if it mostly waits for a processor", () => {
  const { burn, set } = watched();
  const wait = { 7: 180, 8: 150, 9: 210 };
  burn({ 7: 70, 8: 50, 9: 40 }, 250, wait);
  // Thread 8 also sleeps, and thread 9 has used too little time for a decision.
  for (let window = 0; window < 4; window++) burn({ 7: 70, 8: 65, 9: 40 }, 250, wait);
  assert.deepEqual(set, [[7, BURNING_PRIORITY]]);
});

Deno.test("CpuWatch checks only threads of busy processes, once per window", () => {
  const { burn, set, asked } = watched();
  burn({ 7: 30, 8: 25 });
  for (let window = 0; window < 4; window++) burn({ 7: 30, 8: 25 });
  assert.equal(asked(), 0);
  for (let look = 0; look < 10; look++) burn({ 7: 25 }, 25);
  assert.ok(asked() <= 1);
  assert.deepEqual(set, []);
});

Deno.test(
  "procTimes reads the CPU time of this process",
  { ignore: Deno.build.os !== "linux" },
  () => {
    const before = procTimes.process(Deno.pid)!;
    let after = before;
    // Each reading takes time, so a clock tick passes within a few thousand readings.
    for (let work = 0; after === before && work < 1e6; work++) {
      after = procTimes.process(Deno.pid)!;
    }
    assert.ok(after > before);
    const threads = procTimes.threads(Deno.pid);
    assert.ok(threads.has(Deno.pid) && [...threads.values()].some(({ ran }) => ran > 0));
    assert.equal(procTimes.process(2 ** 30), undefined);
    assert.equal(procTimes.threads(2 ** 30).size, 0);
  },
);

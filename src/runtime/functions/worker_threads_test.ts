import assert from "node:assert/strict";
import { type ThreadFiles, WorkerThreads } from "./worker_threads.ts";

/** Reads fake threads, given by ID with their names and CPU times in nanoseconds. */
function filesOf(threads: Map<number, [name: string, nanoseconds: number]>) {
  let listed = 0;
  const files: ThreadFiles = {
    ids: () => {
      listed++;
      return [...threads.keys()];
    },
    read: (_pid, id, file) => {
      const thread = threads.get(id);
      if (thread === undefined) throw new Deno.errors.NotFound();
      return file === "comm" ? `${thread[0]}\n` : `${thread[1]} 500 3\n`;
    },
  };
  return { files, listed: () => listed };
}

Deno.test("WorkerThreads finds a worker's thread by its name and caches it", () => {
  const threads = new Map<number, [string, number]>([
    [7, ["deno", 9e9]],
    [8, ["worker-1", 2e6]],
    [9, ["worker-12", 3e6]],
  ]);
  const { files, listed } = filesOf(threads);
  const times = new WorkerThreads(1, files);
  assert.equal(times.spentMs(1), 2);
  threads.set(8, ["worker-1", 5e6]);
  assert.deepEqual([times.spentMs(1), times.spentMs(12), times.spentMs(1)], [5, 3, 5]);
  assert.equal(listed(), 1);
});

Deno.test("WorkerThreads ignores threads that do not exist, or no longer exist", () => {
  const threads = new Map<number, [string, number]>([[8, ["worker-1", 2e6]]]);
  const times = new WorkerThreads(1, filesOf(threads).files);
  assert.equal(times.spentMs(2), undefined);
  assert.equal(times.spentMs(1), 2);
  threads.clear();
  assert.equal(times.spentMs(1), undefined);
});

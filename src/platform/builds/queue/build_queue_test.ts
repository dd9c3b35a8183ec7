import assert from "node:assert/strict";
import { keys } from "../../core/store/keys.ts";
import type { BuildRecord } from "./build_record.ts";
import { BuildQueue } from "./build_queue.ts";
import { BuildStore } from "./build_store.ts";
import type { BuildEnd } from "./build_worker.ts";
import { until } from "../../../lib/_test_until.ts";
import {
  type Changes,
  DenoStore,
  type Outcome,
  type RecordStore,
  StoreLayer,
} from "../../../store/mod.ts";

const PROJECT = "p1";
const SUCCEEDED: BuildEnd = { state: "SUCCEEDED", error: null };

function record(id: string, more: Partial<BuildRecord> = {}): BuildRecord {
  return {
    id,
    projectId: PROJECT,
    workspaceId: "w1",
    branch: id,
    commitSha: id.repeat(40),
    environment: "preview",
    state: "QUEUED",
    place: id.charCodeAt(0),
    attempts: 0,
    error: null,
    queuedAt: 0,
    startedAt: null,
    finishedAt: null,
    ...more,
  };
}

interface QueueBench {
  readonly builds: BuildStore;
  /** IDs of builds that a worker started, in order. */
  readonly begun: string[];
  readonly givenUp: string[];
  readonly troubles: string[];
  /** How long the queue paused, in milliseconds. */
  readonly pauses: number[];
  /** Makes the next `writes` writes to the store fail. */
  breakStore(writes: number): void;
  queue(concurrency: number): BuildQueue;
  /** Stores a build, as a trigger would. */
  store(build: BuildRecord): Promise<void>;
  stateOf(id: string): Promise<string | undefined>;
  /** Lets running builds finish. Builds that start later finish immediately. */
  open(): void;
}

/** A store in which some commits fail, as with a full or busy disk. */
class FailingStore extends StoreLayer {
  readonly #fails: () => boolean;

  constructor(under: RecordStore, fails: () => boolean) {
    super(under);
    this.#fails = fails;
  }

  override write(changes: Changes): Promise<Outcome> {
    return this.#fails() ? Promise.reject(new TypeError("disk I/O error")) : super.write(changes);
  }
}

async function withParts(run: (parts: QueueBench) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  let failures = 0;
  const builds = new BuildStore(new FailingStore(kv, () => failures-- > 0));
  const pauses: number[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const [begun, givenUp, troubles]: string[][] = [[], [], []];
  const worker = {
    async perform(build: BuildRecord, signal: AbortSignal): Promise<BuildEnd> {
      begun!.push(build.id);
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve());
      await Promise.race([gate, aborted.promise]);
      return signal.aborted ? { state: "INTERRUPTED" } : SUCCEEDED;
    },
    giveUp(build: BuildRecord, error: string): Promise<BuildEnd> {
      givenUp!.push(build.id);
      return Promise.resolve({ state: "FAILED", error });
    },
  };
  try {
    await run({
      builds,
      begun: begun!,
      givenUp: givenUp!,
      troubles: troubles!,
      pauses,
      open,
      breakStore: (writes) => failures = writes,
      queue: (concurrency) =>
        new BuildQueue({
          builds,
          worker,
          concurrency,
          now: () => 1000,
          pause: (milliseconds) => Promise.resolve(pauses.push(milliseconds)),
          onTrouble: (message) => troubles!.push(message),
        }),
      async store(build) {
        await kv.set(keys.build(PROJECT, build.id), build);
        await kv.set(keys.buildTicket(build.place), { projectId: PROJECT, id: build.id });
      },
      stateOf: async (id) => (await builds.find(PROJECT, id))?.state,
    });
    assert.deepEqual(troubles, []);
  } finally {
    kv.close();
  }
}

Deno.test("BuildQueue limits running builds, and counts the builds ahead of a waiting one", () =>
  withParts(async ({ queue, store, begun, open, stateOf }) => {
    const builds = queue(2);
    await builds.start();
    for (const id of ["b", "a", "d", "c"]) {
      await store(record(id));
      builds.add(record(id));
    }
    await until(() => begun.length === 2);
    assert.deepEqual(begun.toSorted(), ["a", "b"], "a and b arrived while slots were free");
    assert.deepEqual([builds.ahead("c"), builds.ahead("d"), builds.ahead("a")], [2, 3, null]);
    open();
    await until(async () => await stateOf("c") === "SUCCEEDED");
    await until(async () => await stateOf("d") === "SUCCEEDED");
    await builds.close();
  }));

Deno.test("BuildQueue runs builds in order of position, not arrival", () =>
  withParts(async ({ queue, store, begun, open, stateOf }) => {
    const builds = queue(1);
    await builds.start();
    for (const id of ["b", "d", "c"]) {
      await store(record(id));
      builds.add(record(id));
    }
    open();
    await until(async () => await stateOf("d") === "SUCCEEDED");
    assert.deepEqual(begun, ["b", "c", "d"]);
    await builds.close();
  }));

Deno.test("BuildQueue continues after a stop, without counting it as an attempt", () =>
  withParts(async ({ builds, queue, store, begun, open, stateOf }) => {
    await store(record("a"));
    await store(record("b"));
    const first = queue(1);
    await first.start();
    await until(() => begun.length === 1);
    await first.close();
    const left = await builds.find(PROJECT, "a");
    assert.deepEqual([left?.state, left?.attempts], ["QUEUED", 0]);
    open();
    const second = queue(1);
    await second.start();
    await until(async () => await stateOf("b") === "SUCCEEDED");
    assert.deepEqual(begun, ["a", "a", "b"]);
    assert.equal((await Array.fromAsync(builds.queue())).length, 0);
  }));

Deno.test("BuildQueue retries an interrupted build once, then fails it", () =>
  withParts(async ({ queue, store, begun, givenUp, open, stateOf }) => {
    open();
    await store(record("a", { state: "RUNNING", attempts: 1 }));
    await store(record("b", { state: "RUNNING", attempts: 2 }));
    const builds = queue(1);
    await builds.start();
    await until(async () => await stateOf("a") === "SUCCEEDED");
    assert.deepEqual([begun, givenUp, await stateOf("b")], [["a"], ["b"], "FAILED"]);
    await builds.close();
  }));

Deno.test("BuildQueue.drop() removes a waiting build, and dropProject() ends all builds of a project", () =>
  withParts(async ({ queue, store, begun, stateOf }) => {
    const builds = queue(1);
    await builds.start();
    for (const id of ["a", "b", "c"]) {
      await store(record(id));
      builds.add(record(id));
    }
    await until(() => begun.length === 1);
    await builds.drop("b");
    assert.equal(await stateOf("b"), "CANCELLED");
    await builds.drop("unknown");
    await builds.dropProject(PROJECT);
    assert.deepEqual([begun, builds.ahead("c")], [["a"], null]);
  }));

Deno.test("BuildQueue retries storing the start of a build, with growing pauses", () =>
  withParts(async ({ queue, store, begun, open, stateOf, breakStore, pauses, troubles }) => {
    open();
    const builds = queue(1);
    await builds.start();
    await store(record("a"));
    breakStore(3);
    builds.add(record("a"));
    await until(async () => await stateOf("a") === "SUCCEEDED");
    assert.deepEqual([begun, pauses], [["a"], [250, 500, 1000]]);
    assert.equal(troubles.length, 3);
    assert.match(
      troubles.splice(0)[0]!,
      /^Cannot store build a, trying again in 250 ms: .*disk I\/O error/,
    );
    await builds.close();
  }));

Deno.test("BuildQueue retries storing a build's result, and continues with the next build", () =>
  withParts(
    async ({ builds, queue, store, begun, open, stateOf, breakStore, pauses, troubles }) => {
      const running = queue(1);
      await running.start();
      for (const id of ["a", "b"]) {
        await store(record(id));
        running.add(record(id));
      }
      await until(() => begun.length === 1);
      breakStore(1);
      open();
      await until(async () => await stateOf("b") === "SUCCEEDED");
      assert.deepEqual([await stateOf("a"), begun, pauses], ["SUCCEEDED", ["a", "b"], [250]]);
      assert.equal((await Array.fromAsync(builds.queue())).length, 0);
      assert.equal(troubles.splice(0).length, 1);
      await running.close();
    },
  ));

Deno.test("BuildQueue.close() ends the retries, and the next start resumes the build", () =>
  withParts(async ({ queue, store, begun, open, stateOf, breakStore, pauses, troubles }) => {
    open();
    const first = queue(1);
    await first.start();
    await store(record("a"));
    breakStore(Infinity);
    first.add(record("a"));
    await until(() => pauses.length > 20);
    assert.equal(Math.max(...pauses), 60_000);
    await first.close();
    assert.match(troubles.splice(0).at(-1)!, /^Build a will run again after a restart: /);
    breakStore(0);
    const second = queue(1);
    await second.start();
    await until(async () => await stateOf("a") === "SUCCEEDED");
    assert.deepEqual(begun, ["a"]);
    await second.close();
  }));

Deno.test("BuildQueue gives up on a build that its worker cannot store", () =>
  withParts(async ({ builds, store, givenUp, troubles, stateOf }) => {
    const running = new BuildQueue({
      builds,
      concurrency: 1,
      now: () => 1000,
      worker: {
        perform: () => Promise.reject(new TypeError("disk I/O error")),
        giveUp(build, error) {
          givenUp.push(build.id);
          return Promise.resolve({ state: "FAILED", error });
        },
      },
      onTrouble: (message) => troubles.push(message),
    });
    await running.start();
    await store(record("a"));
    running.add(record("a"));
    await until(async () => await stateOf("a") === "FAILED");
    assert.deepEqual([givenUp, troubles.splice(0).length], [["a"], 1]);
    await running.close();
  }));

Deno.test("BuildStore.nextPlace() returns increasing positions, even if the clock goes back", () =>
  withParts(async ({ builds, store }) => {
    await store(record("a", { place: 5_000_000 }));
    await builds.open();
    const places = [builds.nextPlace(4000), builds.nextPlace(4000), builds.nextPlace(9000)];
    assert.deepEqual(places, [5_000_001, 5_000_002, 9_000_000]);
  }));

import assert from "node:assert/strict";
import { FakeTimers, nextTurns } from "./_fake_timers.ts";
import { ProcessPlaces } from "./process_places.ts";
import {
  type EndCause,
  NoPlaceError,
  ProcessSupervisor,
  type SupervisedProcess,
  type SupervisorOptions,
} from "./process_supervisor.ts";

const IDLE_MS = 1000;
const POLL_MS = 50;

/** A process that the test controls. */
class FakeProcess implements SupervisedProcess {
  readonly gone: Promise<void>;
  readonly ready: Promise<void>;
  isEnding = false;
  isBusy = false;
  inspected = 0;
  cause: EndCause | undefined;
  becomeReady!: () => void;
  becomeGone!: () => void;
  fail!: (error: Error) => void;

  constructor(readonly startedAt: number) {
    this.gone = new Promise((resolve) => this.becomeGone = resolve);
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = resolve;
      this.fail = reject;
    });
    this.ready.catch(() => {});
  }
}

/** Creates a supervisor of fake processes, with a clock that tests advance. */
function setUp(options: Partial<SupervisorOptions<FakeProcess>> = {}) {
  const timers = new FakeTimers();
  const started: FakeProcess[] = [];
  const begun: FakeProcess[] = [];
  const state = { spawnError: undefined as Error | undefined };
  const supervisor: ProcessSupervisor<FakeProcess> = new ProcessSupervisor({
    driver: {
      spawn: async () => {
        await Promise.resolve();
        if (state.spawnError !== undefined) throw state.spawnError;
        const process = new FakeProcess(timers.now());
        started.push(process);
        return process;
      },
      begin: (process) => void begun.push(process),
      ready: (process) => process.ready,
      isBusy: (process) => process.isBusy,
      inspect: (process) => void process.inspected++,
      end: (process, cause) => {
        process.isEnding = true;
        process.cause = cause;
        supervisor.release(process);
        process.fail(new Error(`ended: ${cause}`));
      },
    },
    noPlace: (max) => `all ${max} in use`,
    closed: "closed",
    idleMs: IDLE_MS,
    pollMs: POLL_MS,
    timers,
    ...options,
  });
  const startNow = async (): Promise<FakeProcess> => {
    const starting = supervisor.start();
    await nextTurns();
    started.at(-1)!.becomeReady();
    return await starting;
  };
  return { supervisor, timers, started, begun, state, startNow };
}

Deno.test("ProcessSupervisor.start() starts one process for all concurrent callers", async () => {
  const { supervisor, started, begun } = setUp();
  const [first, second] = [supervisor.start(), supervisor.start()];
  await nextTurns();
  assert.ok(supervisor.isStarting);
  assert.deepEqual(begun, started);
  started[0]!.becomeReady();
  assert.equal(await first, await second);
  assert.equal(started.length, 1);
  assert.equal(supervisor.current, started[0]);
  assert.ok(!supervisor.isStarting);
});

Deno.test("ProcessSupervisor.start() can be called again after the driver fails", async () => {
  const { supervisor, state, startNow } = setUp();
  state.spawnError = new Error("no such program");
  await assert.rejects(supervisor.start(), /no such program/);
  assert.equal(supervisor.current, undefined);
  state.spawnError = undefined;
  assert.equal(await startNow(), supervisor.current);
});

Deno.test("ProcessSupervisor stops a process that is not ready in time", async () => {
  const { supervisor, timers, started } = setUp({ startMs: 300 });
  const starting = supervisor.start();
  const failed = assert.rejects(starting, /ended: late/);
  await timers.advance(299);
  assert.equal(started[0]!.cause, undefined);
  await timers.advance(1);
  assert.equal(started[0]!.cause, "late");
  await failed;
});

Deno.test("ProcessSupervisor does not apply the start limit to a process that became ready in time", async () => {
  const { timers, startNow } = setUp({ startMs: 300, idleMs: 0 });
  const process = await startNow();
  await timers.advance(10_000);
  assert.equal(process.cause, undefined);
});

Deno.test("ProcessSupervisor stops a process that has been idle for its limit", async (t) => {
  await t.step("counted from its last use", async () => {
    const { supervisor, timers, startNow } = setUp();
    const process = await startNow();
    await timers.advance(IDLE_MS);
    supervisor.touch();
    await timers.advance(IDLE_MS);
    assert.equal(process.cause, undefined);
    await timers.advance(POLL_MS * 2);
    assert.equal(process.cause, "idle");
    assert.equal(supervisor.current, undefined);
  });
  await t.step("never while it is busy", async () => {
    const { timers, startNow } = setUp();
    const process = await startNow();
    process.isBusy = true;
    await timers.advance(IDLE_MS * 5);
    assert.equal(process.cause, undefined);
    process.isBusy = false;
    await timers.advance(IDLE_MS + POLL_MS * 2);
    assert.equal(process.cause, "idle");
  });
  await t.step("never while it starts, or without a limit", async () => {
    const { supervisor, timers, started } = setUp();
    void supervisor.start().catch(() => {});
    await timers.advance(IDLE_MS * 5);
    assert.equal(started[0]!.cause, undefined);
    const endless = setUp({ idleMs: 0 });
    const process = await endless.startNow();
    await endless.timers.advance(IDLE_MS * 5);
    assert.equal(process.cause, undefined);
  });
});

Deno.test("ProcessSupervisor watches a process until its end, then the next one", async () => {
  const { supervisor, timers, startNow } = setUp({ idleMs: 0 });
  const first = await startNow();
  await timers.advance(POLL_MS * 4);
  assert.equal(first.inspected, 5);
  supervisor.release(first);
  await timers.advance(POLL_MS * 4);
  assert.equal(first.inspected, 5);
  const second = await startNow();
  await timers.advance(POLL_MS);
  assert.deepEqual([first.inspected, second.inspected], [5, 2]);
});

Deno.test("ProcessSupervisor.release() keeps the process that replaced another", async () => {
  const { supervisor, startNow } = setUp();
  const first = await startNow();
  supervisor.release(first);
  const second = await startNow();
  supervisor.release(first);
  assert.equal(supervisor.current, second);
});

Deno.test("ProcessSupervisor acquires a slot for its process and releases it", async (t) => {
  await t.step("when the process has exited, not when it is stopping", async () => {
    const places = new ProcessPlaces({ max: 1, waitMs: 10_000 });
    const [one, other] = [setUp({ places }), setUp({ places })];
    const first = await one.startNow();
    const second = other.supervisor.start();
    await nextTurns();
    assert.equal(first.cause, "place");
    assert.equal(other.started.length, 0);
    first.becomeGone();
    await nextTurns();
    other.started[0]!.becomeReady();
    assert.equal(await second, other.started[0]);
  });
  await t.step("when the process did not start", async () => {
    const places = new ProcessPlaces({ max: 1, waitMs: 10_000 });
    const { supervisor, state } = setUp({ places });
    state.spawnError = new Error("no such program");
    await assert.rejects(supervisor.start(), /no such program/);
    assert.equal(places.taken, 0);
  });
  await t.step("and fails if no slot becomes free because all processes are busy", async () => {
    const places = new ProcessPlaces({ max: 1, waitMs: 1 });
    const [one, other] = [setUp({ places }), setUp({ places })];
    const busy = await one.startNow();
    busy.isBusy = true;
    await assert.rejects(other.supervisor.start(), (error) => {
      assert.ok(error instanceof NoPlaceError);
      assert.equal(error.message, "all 1 in use");
      return true;
    });
    assert.equal(busy.cause, undefined);
  });
});

Deno.test("ProcessSupervisor.close() prevents further starts", async (t) => {
  await t.step("and returns the running process", async () => {
    const { supervisor, timers, startNow } = setUp();
    const process = await startNow();
    assert.equal(await supervisor.close(), process);
    await assert.rejects(supervisor.start(), /^Error: closed$/);
    const looks = process.inspected;
    await timers.advance(POLL_MS * 4);
    assert.equal(process.inspected, looks);
  });
  await t.step("and stops a process that is being spawned, before it begins", async () => {
    const { supervisor, started, begun } = setUp();
    const failed = assert.rejects(supervisor.start(), /^Error: closed$/);
    const closing = supervisor.close();
    await nextTurns();
    assert.equal(started[0]?.cause, "closed");
    assert.deepEqual(begun, []);
    started[0]?.becomeGone();
    await failed;
    assert.equal(await closing, undefined);
  });
  await t.step("and releases a slot that it waited for", async () => {
    const places = new ProcessPlaces({ max: 1, waitMs: 10_000 });
    const place = await places.take();
    const { supervisor, started } = setUp({ places });
    const failed = assert.rejects(supervisor.start(), /^Error: closed$/);
    const closing = supervisor.close();
    place!.release();
    await failed;
    await closing;
    assert.deepEqual([started.length, places.taken], [0, 0]);
  });
});

import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import type { ProductionSite } from "../../edge/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import type { FinishedRun, WantedRun } from "./cron_runner.ts";
import { CronScheduler } from "./cron_scheduler.ts";
import { CronStore } from "./cron_store.ts";
import { minutesOf } from "./minutes.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const START = Date.parse("2026-11-22T10:00:00Z");
const MINUTE = 60_000;

const SITE: ProductionSite = { hostname: "shop.localhost", projectId: "p1", deploymentId: "d1" };
const EVERY_MINUTE = [{ path: "/a", schedule: "* * * * *" }];

interface SchedulerBench {
  readonly clock: { now: number };
  production: ProductionSite[];
  readonly records: Map<string, Pick<DeploymentRecord, "cron" | "liveAt">>;
  /** The started runs, in order. */
  readonly started: WantedRun[];
  readonly skipped: string[];
  /** Lets all running tasks finish. */
  end(): Promise<void>;
  /** Lets the task that was started first finish. */
  endFirst(): void;
  readonly kv: RecordStore;
  readonly store: CronStore;
  /** The processes of other nodes that are alive. */
  readonly alive: Set<string>;
  readonly troubles: string[];
  /** Opens the store on one of several nodes. */
  storeOn(instance: string): CronStore;
  scheduler(store?: CronStore): CronScheduler;
}

const runOf = ({ path, trigger }: WantedRun): FinishedRun => ({
  path,
  trigger,
  deploymentId: crypto.randomUUID(),
  outcome: "succeeded",
  status: 200,
  error: null,
  startedAt: new Date(START).toISOString(),
  durationMs: 1,
  requestId: "r",
});

async function withScheduler(run: (parts: SchedulerBench) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const store = new CronStore(kv);
  const clock = { now: START };
  let open: (() => void)[] = [];
  const made: CronScheduler[] = [];
  const parts: SchedulerBench = {
    clock,
    production: [SITE],
    started: [],
    skipped: [],
    kv,
    store,
    alive: new Set(["a", "b"]),
    troubles: [],
    records: new Map([["d1", { cron: EVERY_MINUTE, liveAt: START - MINUTE }]]),
    async end() {
      for (const resolve of open.splice(0)) resolve();
      open = [];
      await until(() => made.every((each) => each.runningSince(TASK) === undefined));
    },
    endFirst: () => open.shift()!(),
    storeOn(instance) {
      const isAlive = (other: string) => Promise.resolve(parts.alive.has(other));
      return new CronStore(kv, { instance, isAlive });
    },
    scheduler(own = store) {
      const scheduler = new CronScheduler({
        store: own,
        sites: { production: () => parts.production },
        deployments: {
          find: (_, id) => Promise.resolve(parts.records.get(id) as DeploymentRecord | undefined),
        },
        async run(wanted) {
          parts.started.push(wanted);
          await new Promise<void>((resolve) => open.push(resolve));
          return runOf(wanted);
        },
        onSkipped: ({ path }, deploymentId) => parts.skipped.push(`${deploymentId} ${path}`),
        minutes: minutesOf(() => clock.now),
        retryPauseMs: 1,
        onTrouble: (message) => parts.troubles.push(message),
      });
      made.push(scheduler);
      return scheduler;
    },
  };
  try {
    await run(parts);
  } finally {
    for (const resolve of open) resolve();
    await Promise.all(made.map((each) => each.close()));
    kv.close();
  }
  assert.deepEqual(parts.troubles, []);
}

const TASK = { projectId: "p1", path: "/a" };

/** Returns the processes that have claimed a task of the project. */
const claimsIn = ({ kv }: SchedulerBench) =>
  Array.fromAsync(kv.list({ prefix: ["cron_claims", "p1"] }), ({ value }) => value);

/** Starts two nodes of one platform. */
const nodesOf = ({ scheduler, storeOn }: SchedulerBench) =>
  [scheduler(storeOn("a")), scheduler(storeOn("b"))] as const;

const pathsOf = ({ started }: SchedulerBench) => started.map(({ path }) => path);

Deno.test("CronScheduler.round() starts a due task once a minute, and stores its result", () =>
  withScheduler(async (parts) => {
    const scheduler = parts.scheduler();
    await scheduler.round();
    await until(() => parts.started.length === 1);
    await parts.end();
    await scheduler.round();
    assert.deepEqual(pathsOf(parts), ["/a"]);
    assert.equal((await parts.store.runsOf("p1")).get("/a")?.outcome, "succeeded");
    parts.clock.now += MINUTE;
    await scheduler.round();
    await until(() => parts.started.length === 2);
  }));

Deno.test("CronScheduler.round() skips a task that is still running, and reports it", () =>
  withScheduler(async (parts) => {
    const scheduler = parts.scheduler();
    await scheduler.round();
    await until(() => parts.started.length === 1);
    assert.equal(scheduler.runningSince(TASK), START);
    parts.clock.now += MINUTE;
    await scheduler.round();
    assert.deepEqual(parts.skipped, ["d1 /a"]);
    assert.equal(await scheduler.begin({ ...SITE, path: "/a", trigger: "request" }), undefined);
    await parts.end();
    parts.clock.now += MINUTE;
    await scheduler.round();
    await until(() => parts.started.length === 2);
  }));

Deno.test("CronScheduler.round() runs tasks missed before a restart once", () =>
  withScheduler(async (parts) => {
    await parts.scheduler().round();
    await until(() => parts.started.length === 1);
    await parts.end();
    parts.clock.now += 20 * MINUTE;
    await parts.scheduler().round();
    await until(() => parts.started.length === 2);
    await parts.end();
    assert.deepEqual(pathsOf(parts), ["/a", "/a"]);
  }));

Deno.test("CronScheduler.round() follows production: a superseded deployment has no tasks", () =>
  withScheduler(async (parts) => {
    const scheduler = parts.scheduler();
    await scheduler.round();
    await until(() => parts.started.length === 1);
    await parts.end();
    parts.clock.now += MINUTE;
    parts.records.set("d2", {
      cron: [{ path: "/b", schedule: "* * * * *" }],
      liveAt: parts.clock.now - 1,
    });
    parts.production = [{ ...SITE, deploymentId: "d2" }];
    await scheduler.round();
    await until(() => parts.started.length === 2);
    assert.deepEqual(pathsOf(parts), ["/a", "/b"]);
    parts.production = [];
    parts.clock.now += MINUTE;
    await scheduler.round();
    assert.equal(parts.started.length, 2);
    assert.equal(await scheduler.tasksOf("p1"), undefined);
  }));

Deno.test("CronScheduler.round() on two platforms that share a store starts a task once", () =>
  withScheduler(async (parts) => {
    const both = [parts.scheduler(), parts.scheduler()];
    await Promise.all(both.map((each) => each.round()));
    await until(() => parts.started.length > 0);
    assert.deepEqual(pathsOf(parts), ["/a"]);
  }));

Deno.test("CronScheduler retries a failed scheduled run, but not a manual one", () =>
  withScheduler(async ({ store, production, clock }) => {
    const outcomes: FinishedRun["outcome"][] = [];
    const answers = ["failed", "failed", "succeeded", "failed"] as const;
    const scheduler = new CronScheduler({
      store,
      sites: { production: () => production },
      deployments: {
        find: () =>
          Promise.resolve(
            {
              cron: [{ ...EVERY_MINUTE[0]!, retries: 3 }],
              liveAt: START - MINUTE,
            } as DeploymentRecord,
          ),
      },
      run(wanted) {
        const outcome = answers[outcomes.length]!;
        outcomes.push(outcome);
        return Promise.resolve({ ...runOf(wanted), outcome });
      },
      onSkipped: () => assert.fail("nothing is skipped"),
      minutes: minutesOf(() => clock.now),
      retryPauseMs: 1,
      onTrouble: (message) => assert.fail(message),
    });
    await scheduler.round();
    await until(() => outcomes.length === 3);
    await until(() => scheduler.runningSince(TASK) === undefined);
    const begun = await scheduler.begin({
      projectId: "p1",
      hostname: SITE.hostname,
      path: "/a",
      trigger: "request",
    });
    assert.equal((await begun?.ended)?.outcome, "failed");
    assert.deepEqual(outcomes, answers);
    await scheduler.close();
  }));

Deno.test("CronScheduler skips a task that is still running on another node, and reports it", () =>
  withScheduler(async (parts) => {
    const [a, b] = nodesOf(parts);
    await a.round();
    await until(() => parts.started.length === 1);
    assert.deepEqual(await claimsIn(parts), ["a"]);
    parts.clock.now += MINUTE;
    await b.round();
    assert.deepEqual(parts.skipped, ["d1 /a"]);
    assert.equal(await b.begin({ ...SITE, path: "/a", trigger: "request" }), undefined);
    await until(() => b.runningSince(TASK) === undefined);
    await parts.end();
    assert.deepEqual(await claimsIn(parts), []);
    parts.clock.now += MINUTE;
    await b.round();
    await until(() => parts.started.length === 2);
    assert.deepEqual(await claimsIn(parts), ["b"]);
  }));

Deno.test("CronScheduler takes over a task from a node that has died", () =>
  withScheduler(async (parts) => {
    const [a, b] = nodesOf(parts);
    await a.begin({ ...SITE, path: "/a", trigger: "request" });
    await until(() => parts.started.length === 1);
    parts.alive.delete("a");
    await b.round();
    await until(() => parts.started.length === 2);
    assert.deepEqual(parts.skipped, []);
    assert.deepEqual(await claimsIn(parts), ["b"]);
    parts.endFirst();
    await until(() => a.runningSince(TASK) === undefined);
    assert.deepEqual(await claimsIn(parts), ["b"], "the dead node does not release it");
  }));

Deno.test("CronScheduler tries again to release a task", () =>
  withScheduler(async (parts) => {
    const store = parts.storeOn("a");
    const release = store.releaseTask.bind(store);
    let failures = 2;
    store.releaseTask = (task) =>
      failures-- > 0 ? Promise.reject(new Error("the store is away")) : release(task);
    const a = parts.scheduler(store);
    const begun = await a.begin({ ...SITE, path: "/a", trigger: "request" });
    await until(() => parts.started.length === 1);
    await parts.end();
    assert.equal((await begun?.ended)?.outcome, "succeeded");
    assert.deepEqual(await claimsIn(parts), []);
    assert.equal(parts.troubles.splice(0).length, 2);
  }));

Deno.test("CronScheduler reports that it cannot claim a task, and starts it in the next minute", () =>
  withScheduler(async (parts) => {
    const store = parts.storeOn("a");
    const claim = store.claimTask.bind(store);
    store.claimTask = () => Promise.reject(new Error("the store is away"));
    const a = parts.scheduler(store);
    await a.round();
    assert.match(parts.troubles.splice(0).join(), /^Cannot start the scheduled task \/a: /);
    await until(() => a.runningSince(TASK) === undefined);
    store.claimTask = claim;
    parts.clock.now += MINUTE;
    await a.round();
    await until(() => parts.started.length === 1);
  }));

Deno.test("CronStore.keysOf() includes claims, which only a platform with several nodes stores", () =>
  withScheduler(async (parts) => {
    const keysOf = async () =>
      (await Array.fromAsync(parts.store.keysOf("p1"))).map(([family]) => family);
    await parts.scheduler().round();
    await until(() => parts.started.length === 1);
    assert.deepEqual(await keysOf(), []);
    await parts.end();
    parts.clock.now += MINUTE;
    await parts.scheduler(parts.storeOn("a")).round();
    await until(() => parts.started.length === 2);
    assert.deepEqual(await keysOf(), ["cron_runs", "cron_claims"]);
  }));

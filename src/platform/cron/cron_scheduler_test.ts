import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import type { ProductionSite } from "../../edge/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import type { FinishedRun, WantedRun } from "./cron_runner.ts";
import { CronScheduler } from "./cron_scheduler.ts";
import { Claims } from "../core/nodes/mod.ts";
import { CronStore } from "./cron_store.ts";
import { minutesOf } from "./minutes.ts";
import { DenoStore } from "../../store/mod.ts";

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
  readonly store: CronStore;
  /** Instances of the nodes that are alive. */
  readonly alive: Set<string>;
  /** Creates a scheduler, which shares the tasks with other nodes if it has an instance. */
  scheduler(instance?: string): CronScheduler;
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
  const alive = new Set<string>();
  const parts: SchedulerBench = {
    clock,
    production: [SITE],
    started: [],
    skipped: [],
    store,
    alive,
    records: new Map([["d1", { cron: EVERY_MINUTE, liveAt: START - MINUTE }]]),
    async end() {
      for (const resolve of open.splice(0)) resolve();
      open = [];
      await until(() =>
        made.every((each) => each.runningSince({ projectId: "p1", path: "/a" }) === undefined)
      );
    },
    scheduler(instance) {
      const claims = instance === undefined
        ? undefined
        : new Claims({ instance, isAlive: (other) => Promise.resolve(alive.has(other)) });
      const scheduler = new CronScheduler({
        store: new CronStore(kv, claims),
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
        onTrouble: (message) => assert.fail(message),
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
}

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
    assert.equal(scheduler.runningSince({ projectId: "p1", path: "/a" }), START);
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

Deno.test("CronScheduler starts no task that another node runs, unless that node has failed", () =>
  withScheduler(async (parts) => {
    const [first, second] = [parts.scheduler("one"), parts.scheduler("two")];
    parts.alive.add("one").add("two");
    await first.round();
    await until(() => parts.started.length === 1);
    parts.clock.now += MINUTE;
    await second.round();
    assert.deepEqual(parts.skipped, ["d1 /a"]);
    assert.equal(await second.begin({ ...SITE, path: "/a", trigger: "request" }), undefined);

    await parts.end();
    parts.clock.now += MINUTE;
    await second.round();
    await until(() => parts.started.length === 2);

    parts.alive.delete("two");
    parts.clock.now += MINUTE;
    await first.round();
    await until(() => parts.started.length === 3);
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
    await until(() => scheduler.runningSince({ projectId: "p1", path: "/a" }) === undefined);
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

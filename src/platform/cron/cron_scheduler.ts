/**
 * Runs scheduled tasks. Every minute, a round starts the tasks that have become due since the
 * previous round.
 *
 * @module
 */
import type { ProductionSite, SiteDirectory } from "../../edge/mod.ts";
import type { CronRun } from "../../contract/cron.ts";
import type { CronTask } from "../../manifest/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { FinishedRun, WantedRun } from "./cron_runner.ts";
import type { CronStore } from "./cron_store.ts";
import { dueTasks, minuteOf, spanOf } from "./due_tasks.ts";
import type { Minutes } from "./minutes.ts";

/** Maximum number of concurrent tasks. Further tasks wait. */
const MAX_RUNNING = 32;

/**
 * Delay before the first retry of a failed run, in milliseconds. The delay doubles with each retry.
 * Also the delay before another attempt to release a task.
 */
const RETRY_PAUSE_MS = 10_000;

interface SchedulerServices {
  readonly store: CronStore;
  readonly sites: Pick<SiteDirectory, "production">;
  readonly deployments: Pick<DeploymentStore, "find">;
  /** Runs a task to completion. Never rejects. */
  run(wanted: WantedRun): Promise<FinishedRun | undefined>;
  /** Called if a task is due while it is still running, here or on another node. */
  onSkipped(wanted: WantedRun, deploymentId: string): void;
  readonly minutes: Minutes;
  /** Delay before the first retry of a failed run or release, in milliseconds. */
  readonly retryPauseMs?: number | undefined;
  onTrouble(message: string): void;
}

export interface LiveTasks extends ProductionSite {
  readonly tasks: readonly CronTask[];
  readonly liveAt: number;
}

interface Running {
  readonly startedAt: number;
  /** Resolves when the task has finished. Never rejects. */
  readonly ended: Promise<FinishedRun | undefined>;
}

const keyOf = ({ projectId, path }: Pick<WantedRun, "projectId" | "path">) =>
  `${projectId} ${path}`;

export class CronScheduler {
  /** Keyed by deployment ID, because a deployment's content never changes. */
  readonly #known = new Map<string, Pick<LiveTasks, "tasks" | "liveAt">>();
  readonly #running = new Map<string, Running>();
  readonly #waiting: (() => void)[] = [];
  /** Functions that cut short the delays before retries. */
  readonly #pauses = new Set<() => void>();
  #free = MAX_RUNNING;
  #stop: (() => void) | undefined;
  #round: Promise<void> = Promise.resolve();
  #closed = false;

  readonly #services: SchedulerServices;

  constructor(services: SchedulerServices) {
    this.#services = services;
  }

  /** Starts the schedule. The first round runs at the start of the next minute. */
  start(): void {
    this.#stop = this.#services.minutes.each(() => void this.round());
  }

  /** Starts due tasks without waiting until they finish. Each round waits for the previous one. */
  round(): Promise<void> {
    return this.#round = this.#round.then(() => this.#startDue()).catch((error) =>
      this.#services.onTrouble(`Cannot run scheduled tasks: ${error}`)
    );
  }

  async tasksOf(projectId: string): Promise<LiveTasks | undefined> {
    const site = this.#services.sites.production().find((each) => each.projectId === projectId);
    return site === undefined ? undefined : await this.#tasksOf(site);
  }

  /** When a running task was started; `undefined` if it is not running on this node. */
  runningSince(wanted: Pick<WantedRun, "projectId" | "path">): number | undefined {
    return this.#running.get(keyOf(wanted))?.startedAt;
  }

  /** Starts a task. Returns `undefined` if the task is already running, here or on another node. */
  async begin(wanted: WantedRun): Promise<Running | undefined> {
    const key = keyOf(wanted);
    if (this.#closed || this.#running.has(key)) return undefined;
    const claimed = this.#services.store.claimTask(wanted);
    const ended = this.#performClaimed(claimed, wanted).finally(() => this.#running.delete(key));
    const running = { startedAt: this.#services.minutes.now(), ended };
    this.#running.set(key, running);
    return await claimed ? running : undefined;
  }

  /**
   * Starts no more tasks, and waits for running ones. The caller must already have aborted their
   * requests.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    await this.#round;
    for (const go of this.#waiting.splice(0)) go();
    for (const end of this.#pauses) end();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #startDue(): Promise<void> {
    if (this.#closed) return;
    const live: LiveTasks[] = [];
    const shown = this.#services.sites.production();
    for (const site of shown) {
      const found = await this.#tasksOf(site);
      if (found.tasks.length > 0) live.push(found);
    }
    this.#forget(new Set(shown.map(({ deploymentId }) => deploymentId)));
    if (live.length === 0) return;
    const minute = minuteOf(this.#services.minutes.now());
    const claimed = await this.#services.store.claim(minute);
    if (claimed === "taken") return;
    const span = spanOf(minute, claimed.previous);
    await Promise.all(
      live.flatMap(({ tasks, liveAt, ...site }) =>
        dueTasks(tasks, span, liveAt).map((task) => this.#beginDue(site, task))
      ),
    );
  }

  /** Starts a task that is due, or reports why it does not run. Never rejects. */
  async #beginDue(
    { projectId, hostname, deploymentId }: ProductionSite,
    { path, retries }: CronTask,
  ): Promise<void> {
    const wanted: WantedRun = { projectId, hostname, path, trigger: "schedule", retries };
    try {
      const begun = await this.begin(wanted);
      if (begun === undefined) this.#services.onSkipped(wanted, deploymentId);
    } catch (error) {
      this.#services.onTrouble(`Cannot start the scheduled task ${path}: ${error}`);
    }
  }

  /** Runs a task if this node has claimed it, and then releases it. Never rejects. */
  async #performClaimed(
    claimed: Promise<boolean>,
    wanted: WantedRun,
  ): Promise<FinishedRun | undefined> {
    // A claim whose commit failed may have been stored, so it is released.
    const isMine = await claimed.catch(() => undefined);
    if (isMine === false) return undefined;
    const run = isMine === true ? await this.#perform(wanted) : undefined;
    await this.#release(wanted);
    return run;
  }

  /** Releases a task. Until this succeeds, other nodes skip the task, so it is tried again. */
  async #release(wanted: WantedRun): Promise<void> {
    const { store, retryPauseMs = RETRY_PAUSE_MS, onTrouble } = this.#services;
    while (true) {
      try {
        return await store.releaseTask(wanted);
      } catch (error) {
        onTrouble(`Cannot release the scheduled task ${wanted.path}: ${error}`);
      }
      if (this.#closed) return;
      await this.#pause(retryPauseMs);
    }
  }

  async #perform(wanted: WantedRun): Promise<FinishedRun | undefined> {
    for (let attempt = 1;; attempt++) {
      const run = await this.#runOnce(wanted);
      const isLast = attempt > (wanted.retries ?? 0);
      if (run?.outcome !== "failed" || isLast || this.#closed) return run;
      await this.#pause((this.#services.retryPauseMs ?? RETRY_PAUSE_MS) * 2 ** (attempt - 1));
      if (this.#closed) return run;
    }
  }

  /** Waits for the given time, or until the platform stops. */
  async #pause(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let end = (): void => {};
    await new Promise<void>((resolve) => {
      end = resolve;
      this.#pauses.add(end);
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
    this.#pauses.delete(end);
  }

  async #runOnce(wanted: WantedRun): Promise<FinishedRun | undefined> {
    await this.#takePlace();
    try {
      if (this.#closed) return undefined;
      const run: CronRun | undefined = await this.#services.run(wanted);
      if (run === undefined) return undefined;
      await this.#services.store.keepRun(wanted.projectId, run);
      return run as FinishedRun;
    } catch (error) {
      this.#services.onTrouble(`Cannot run the scheduled task ${wanted.path}: ${error}`);
      return undefined;
    } finally {
      this.#givePlace();
    }
  }

  async #takePlace(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #givePlace(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  async #tasksOf(site: ProductionSite): Promise<LiveTasks> {
    let known = this.#known.get(site.deploymentId);
    if (known === undefined) {
      const record = await this.#services.deployments.find(site.projectId, site.deploymentId);
      known = { tasks: record?.cron ?? [], liveAt: record?.liveAt ?? 0 };
      this.#known.set(site.deploymentId, known);
    }
    return { ...site, ...known };
  }

  /**
   * Forgets deployments that are no longer live. A deployment that goes live again has a new
   * activation time, which must be read then.
   */
  #forget(shown: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!shown.has(id)) this.#known.delete(id);
  }
}

/**
 * The build queue: ordered, fair between workspaces, bounded and durable. A build is stored before
 * it enters the queue, so no build is lost in a crash. An interrupted build runs once more, and
 * fails if it is interrupted again. Nodes that share the store claim builds one at a time.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../lib/clock.ts";
import { Failure } from "../../core/http/mod.ts";
import { type ClaimHolder, Claims, type Nodes } from "../../core/nodes/mod.ts";
import type { BuildRecord } from "./build_record.ts";
import { nextBuild } from "./build_schedule.ts";
import { buildsIn, type BuildStore } from "./build_store.ts";
import type { BuildEnd, BuildWorker } from "./build_worker.ts";
import type { RecordKey } from "../../../store/mod.ts";

/** Maximum number of waiting builds. */
const MAX_WAITING = 10_000;

/** Maximum number of times that a build is started if the platform stops during each run. */
const MAX_ATTEMPTS = 2;

/** How long clients should wait before retrying if the queue is full, in seconds. */
const RETRY_SECONDS = 60;

/** First and maximum pause between attempts to write to a failing store, in milliseconds. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

const UNNOTED =
  "The platform could not store the result of this build. See its log, then build again";

interface BuildQueueOptions {
  readonly builds: BuildStore;
  readonly worker: Pick<BuildWorker, "perform" | "giveUp">;
  /** Maximum number of builds that run at the same time; 0 if only other nodes run builds. */
  readonly concurrency: number;
  /** The nodes that run builds; by default, only this one. */
  readonly nodes?: Pick<Nodes, "id" | "instance" | "isAlive" | "onDeath"> | undefined;
  /**
   * Returns whether a build's deployment still needs the build. Used if other nodes can stop
   * builds.
   */
  readonly isWanted?: (build: Pick<BuildRecord, "projectId" | "id">) => Promise<boolean>;
  readonly now: Clock;
  /** Waits, and rejects as soon as the signal is aborted. A timer by default. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  onTrouble(message: string): void;
}

interface Running {
  readonly build: BuildRecord;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

const wait = (milliseconds: number, signal: AbortSignal) =>
  delay(milliseconds, undefined, { signal, ref: false });

/**
 * Returns the process that runs a build. A waiting build has none, even if a process ran it before.
 */
const holderOf = ({ state, runner }: BuildRecord): ClaimHolder =>
  state === "RUNNING" ? runner ?? null : null;

export class BuildQueue {
  /** Oldest first. */
  #waiting: BuildRecord[] = [];
  readonly #running = new Map<string, Running>();
  readonly #closing = new AbortController();
  readonly #claims: Claims;

  readonly #options: BuildQueueOptions;

  constructor(options: BuildQueueOptions) {
    this.#options = options;
    this.#claims = new Claims(options.nodes);
  }

  /** Resumes the builds from the platform's last run. Call it before the first `add()`. */
  async start(): Promise<void> {
    await this.#options.builds.open();
    await this.#adopt();
    this.#options.nodes?.onDeath(() => void this.takeUp());
  }

  /** Updates the queue after other nodes have queued, started, finished or stopped builds. */
  async follow(changed: readonly RecordKey[]): Promise<void> {
    const { builds, isWanted } = this.#options;
    for (const each of buildsIn(changed)) {
      const running = this.#running.get(each.id);
      if (running !== undefined) {
        if (await isWanted?.(each) === false) running.abort.abort();
        continue;
      }
      const build = await builds.find(each.projectId, each.id);
      this.#waiting = this.#waiting.filter(({ id }) => id !== each.id);
      if (build?.state === "QUEUED" && !this.#running.has(each.id)) this.#insert(build);
    }
    this.#pump();
  }

  /** Looks for all waiting builds, and for builds of processes that have exited. */
  async takeUp(): Promise<void> {
    try {
      await this.#adopt();
    } catch (error) {
      this.#options.onTrouble(`Cannot take over another node's builds: ${error}`);
    }
  }

  async #adopt(): Promise<void> {
    const { builds, worker } = this.#options;
    for await (const build of builds.queue()) {
      if (this.#running.has(build.id) || this.#waiting.some(({ id }) => id === build.id)) continue;
      if (await this.#claims.isHeldElsewhere(holderOf(build))) continue;
      if (build.state === "RUNNING" && build.attempts >= MAX_ATTEMPTS) {
        const reason = "The platform stopped twice during this build";
        await this.#settle(build, await worker.giveUp(build, reason));
      } else {
        this.#insert(build);
      }
    }
    this.#pump();
  }

  /** @throws {Failure} `rate_limited` if too many builds are already waiting. */
  requireRoom(): void {
    if (this.#waiting.length < MAX_WAITING) return;
    throw new Failure("rate_limited", "Too many builds in the queue. Try again later", {
      retryAfter: RETRY_SECONDS,
    });
  }

  add(build: BuildRecord): void {
    this.#insert(build);
    this.#pump();
  }

  #insert(build: BuildRecord): void {
    const older = this.#waiting.findLastIndex((each) => each.place < build.place);
    this.#waiting.splice(older + 1, 0, build);
  }

  /** Stops a waiting or running build whose deployment has been stopped or removed. */
  async drop(id: string): Promise<void> {
    this.#running.get(id)?.abort.abort();
    const build = this.#waiting.find((each) => each.id === id);
    if (build === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== build);
    await this.#settle(build, { state: "CANCELLED", error: null });
  }

  /** Stops all builds of a project, and waits until none is running. */
  async dropProject(projectId: string): Promise<void> {
    const ended = [...this.#running.values()].filter(({ build }) => build.projectId === projectId);
    for (const { abort } of ended) abort.abort();
    this.#waiting = this.#waiting.filter((build) => build.projectId !== projectId);
    await Promise.all(ended.map((each) => each.ended));
  }

  /** Returns how many builds are ahead of a waiting build, or null if the build is not waiting. */
  ahead(id: string): number | null {
    const place = this.#waiting.findIndex((build) => build.id === id);
    return place === -1 ? null : place + this.#running.size;
  }

  /** Interrupts the running builds. They run again after the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { abort } of this.#running.values()) abort.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #pump(): void {
    while (!this.#closing.signal.aborted && this.#running.size < this.#options.concurrency) {
      const build = nextBuild(this.#waiting, [...this.#running.values()].map((each) => each.build));
      if (build === undefined) return;
      this.#waiting = this.#waiting.filter((each) => each !== build);
      const abort = new AbortController();
      const ended = this.#run(build, abort.signal).finally(() => {
        this.#running.delete(build.id);
        this.#pump();
      });
      this.#running.set(build.id, { build, abort, ended });
    }
  }

  /**
   * Runs a build. Never rejects. If the outcome cannot be stored during shutdown, the build runs
   * again later.
   */
  async #run(build: BuildRecord, signal: AbortSignal): Promise<void> {
    const { worker, onTrouble } = this.#options;
    try {
      const begun = await this.#persist(build, () => this.#claim(build));
      if (begun === undefined) return;
      const end = await worker.perform(begun, signal).catch((error) => {
        onTrouble(`Cannot store the result of build ${build.id}: ${error}`);
        return this.#persist(build, () => worker.giveUp(begun, UNNOTED));
      });
      await this.#persist(build, () => this.#settle(begun, end));
    } catch (error) {
      onTrouble(`Build ${build.id} will run again after a restart: ${error}`);
    }
  }

  /** Claims a build. Returns `undefined` if another process runs the build or it has finished. */
  #claim(build: BuildRecord): Promise<BuildRecord | undefined> {
    const { builds, nodes, now } = this.#options;
    const attempts = build.attempts + 1;
    const begun = {
      state: "RUNNING",
      attempts,
      node: nodes?.id ?? null,
      startedAt: now(),
    } as const;
    return this.#claims.takeOver(
      holderOf(build),
      (runner) => builds.move(build, { ...begun, runner }),
    );
  }

  /** Writes to the store, retrying failures until the queue is closed. */
  async #persist<T>(build: BuildRecord, write: () => Promise<T>): Promise<T> {
    const { onTrouble, pause = wait } = this.#options;
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await write();
      } catch (error) {
        if (signal.aborted) throw error;
        onTrouble(`Cannot store build ${build.id}, trying again in ${pauseMs} ms: ${error}`);
        // If the queue is closed during the pause, the loop tries once more.
        await pause(pauseMs, signal).catch(() => {});
      }
    }
  }

  async #settle(build: BuildRecord, end: BuildEnd): Promise<void> {
    const { builds, now } = this.#options;
    if (end.state === "INTERRUPTED") {
      await builds.move(build, { state: "QUEUED", attempts: build.attempts - 1 });
    } else {
      await builds.finish(build, { ...end, finishedAt: now() });
    }
  }
}

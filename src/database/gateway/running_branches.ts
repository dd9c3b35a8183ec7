/**
 * @module Tracks running branches and their sessions, and decides which can start and which are
 * idle.
 */
import {
  type BackendSession,
  type Branch,
  type DatabaseEngine,
  EngineError,
  type StartupParameters,
} from "../types.ts";
import type { GatewayLimits } from "./types.ts";

/** A session or another use of a branch, which can be ended. */
export interface Holder {
  /** Ends the use. Resolves once no further statement can return a result to the client. */
  end(): Promise<void>;
}

/** A session that counts toward the limits until it's released. */
interface HeldSession {
  readonly session: BackendSession;
  readonly release: () => void;
}

interface RunningBranch {
  readonly branch: Branch;
  readonly engine: DatabaseEngine;
  readonly holders: Set<Holder>;
  opening: number;
  lastActiveAt: number;
  stopping: Promise<void> | undefined;
}

interface RunningBranchesOptions {
  readonly limits: Pick<GatewayLimits, "maxRunning" | "idleMs">;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly onTrouble: (message: string) => void;
}

export class RunningBranches {
  readonly #all = new Map<string, RunningBranch>();
  /**
   * Branches that reject sessions, because they are being moved or were moved to another engine.
   */
  readonly #closed = new Set<string>();

  readonly #options: RunningBranchesOptions;

  constructor(options: RunningBranchesOptions) {
    this.#options = options;
  }

  /** Returns the number of sessions on a branch, including those that are about to open. */
  countOf(branchId: string): number {
    const found = this.#all.get(branchId);
    return found === undefined ? 0 : found.holders.size + found.opening;
  }

  /**
   * Returns the time when a session of the branch last started or ended, by the given clock.
   * Returns `undefined` if the branch has had no session.
   */
  lastActiveAt(branchId: string): number | undefined {
    return this.#all.get(branchId)?.lastActiveAt;
  }

  /**
   * Opens a session, once the branch has the resources to run.
   *
   * @param admit checks the branch's sessions before another one is opened; may throw
   */
  async connect(
    { branch, engine }: { readonly branch: Branch; readonly engine: DatabaseEngine },
    { startup, admit, holderOf }: {
      readonly startup: StartupParameters;
      readonly admit?: (sessions: number) => void;
      readonly holderOf: (session: BackendSession) => Holder;
    },
  ): Promise<HeldSession> {
    const running = await this.#take(branch, engine, admit);
    try {
      const session = await engine.connect(branch, startup);
      // The branch may have been closed while the client signed in.
      if (this.#closed.has(branch.id)) {
        await session.close();
        throw movedAway(branch);
      }
      const holder = holderOf(session);
      running.holders.add(holder);
      const release = () => {
        running.holders.delete(holder);
        running.lastActiveAt = this.#options.now();
      };
      return { session, release };
    } finally {
      running.opening--;
      running.lastActiveAt = this.#options.now();
    }
  }

  /**
   * Ends all sessions of a branch, including those that are being opened, and rejects new ones.
   * Returns a function that admits new sessions again.
   */
  async close(branchId: string): Promise<() => void> {
    this.#closed.add(branchId);
    await this.endSessions(branchId);
    return () => this.#closed.delete(branchId);
  }

  async endSessions(branchId: string): Promise<void> {
    const holders = [...this.#all.get(branchId)?.holders ?? []];
    await Promise.all(holders.map((holder) => holder.end()));
  }

  /** Stops branches that have had no session for a while. */
  async stopIdle(): Promise<void> {
    const before = this.#options.now() - this.#options.limits.idleMs;
    const idle = [...this.#all.values()].filter((running) =>
      isUnused(running) && running.lastActiveAt <= before
    );
    await Promise.all(idle.map((running) => this.#stop(running)));
  }

  /**
   * Finds or creates the entry of a branch that may run, and counts an opening session. Throws if
   * too many other branches are running.
   */
  async #take(
    branch: Branch,
    engine: DatabaseEngine,
    admit: ((sessions: number) => void) | undefined,
  ): Promise<RunningBranch> {
    for (;;) {
      if (this.#closed.has(branch.id)) throw movedAway(branch);
      const known = this.#all.get(branch.id);
      if (known?.stopping !== undefined) {
        await known.stopping;
        continue;
      }
      if (known !== undefined && known.engine === engine) {
        admit?.(this.countOf(branch.id));
        known.opening++;
        return known;
      }
      if (known !== undefined) {
        // The branch has moved to another engine.
        await this.#stop(known);
        continue;
      }
      if (engine.kind === "embedded" && this.#isFull()) {
        await this.#makeRoom();
        continue;
      }
      const running: RunningBranch = {
        branch,
        engine,
        holders: new Set(),
        opening: 1,
        lastActiveAt: this.#options.now(),
        stopping: undefined,
      };
      this.#all.set(branch.id, running);
      return running;
    }
  }

  #embedded(): readonly RunningBranch[] {
    return [...this.#all.values()].filter(({ engine }) => engine.kind === "embedded");
  }

  #isFull(): boolean {
    return this.#embedded().length >= this.#options.limits.maxRunning;
  }

  async #makeRoom(): Promise<void> {
    const stopping = this.#embedded().flatMap((running) => running.stopping ?? []);
    if (stopping.length > 0) return await Promise.race(stopping);
    const [oldest] = this.#embedded().filter(isUnused)
      .sort((a, b) => a.lastActiveAt - b.lastActiveAt);
    if (oldest !== undefined) return await this.#stop(oldest);
    throw new EngineError(
      `All ${this.#options.limits.maxRunning} databases that can run at a time are in use: ` +
        "close connections to another database, or try again later",
      "53300",
    );
  }

  #stop(running: RunningBranch): Promise<void> {
    running.stopping ??= running.engine.stop(running.branch)
      .catch((error) =>
        this.#options.onTrouble(`Cannot stop the database branch ${running.branch.id}: ${error}`)
      )
      .finally(() => this.#all.delete(running.branch.id));
    return running.stopping;
  }
}

const movedAway = ({ database }: Branch): EngineError =>
  new EngineError(`Database "${database}" is being moved. Try again in a moment`, "57P03");

function isUnused({ holders, opening, stopping }: RunningBranch): boolean {
  return holders.size === 0 && opening === 0 && stopping === undefined;
}

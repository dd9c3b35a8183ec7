/** Databases and branches as the API shows them. @module */
import { type Database, type DatabaseHistory, MAIN_BRANCH } from "../../contract/databases.ts";
import type { DatabaseBranch } from "../../contract/database_branches.ts";
import { GONE } from "../../database/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import { RecentMap } from "../../lib/memo.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { VariableStore } from "../variables/mod.ts";
import { engineBranch } from "./branch_access.ts";
import type { BranchStore } from "./branch_store.ts";
import type { DatabaseDoor } from "./database_door.ts";
import type { DatabaseStore } from "./database_store.ts";
import { type Engines, reasonOf } from "./engines.ts";
import { describeEngine, describeOverrides } from "./notes.ts";
import {
  type BranchRecord,
  type DatabaseRecord,
  restorableSince,
  type ShownState,
  stateOf,
} from "./records.ts";
import { GRACE_MS, SIZES } from "./sizes.ts";

/** How long to show a measured size before it is measured again, in milliseconds. */
const SIZE_MS = 15_000;
const MAX_SIZES = 1000;
const DAY_MS = 24 * 60 * 60_000;

const time = (moment: number): string => new Date(moment).toISOString();
const timeOrNull = (moment: number | null): string | null => moment === null ? null : time(moment);

interface DescribeParts {
  readonly databases: Pick<DatabaseStore, "list">;
  readonly branches: Pick<BranchStore, "list">;
  readonly variables: Pick<VariableStore, "list">;
  readonly engines: Engines;
  readonly door: Pick<DatabaseDoor, "sessionsOf">;
  readonly now: Clock;
}

export class Descriptions {
  readonly #sizes = new RecentMap<{ readonly bytes: number; readonly at: number }>(MAX_SIZES);
  readonly #measuring = new SingleFlight<number>();

  readonly #parts: DescribeParts;

  constructor(parts: DescribeParts) {
    this.#parts = parts;
  }

  async database(database: DatabaseRecord): Promise<Database> {
    const { branches, engines, databases, variables } = this.#parts;
    const { id, name, projectId, cuSize, autoInject, envVar, deletedAt } = database;
    const all = await branches.list(id);
    const main = all.find((branch) => branch.name === MAIN_BRANCH);
    const engine = main?.storage?.engine ?? database.engine;
    const shown = main === undefined
      ? { state: "deleted" as const, reason: null }
      : await this.#stateOf(database, main);
    const { memoryMb, connections } = SIZES[cuSize];
    const overriddenBy = describeOverrides(database, {
      others: await databases.list(projectId),
      variables: autoInject ? await variables.list(projectId) : [],
    });
    return {
      id,
      name,
      projectId,
      engine,
      cuSize,
      autoInject,
      envVar,
      ...shown,
      memoryMb,
      version: await this.#versionOf(engine),
      maxConnections: connections,
      environments: database.environments,
      previewBranches: database.previewBranches,
      branches: all.length,
      sizeBytes: await this.sizeOf(database),
      overriddenBy,
      history: main === undefined ? null : await this.#historyOf(database, main),
      notes: [
        ...describeEngine(database, { engine, hasServer: engines.lackOf("server") === undefined }),
        ...overriddenBy.map(({ note }) => note),
      ],
      createdAt: time(database.createdAt),
      deletedAt: timeOrNull(deletedAt),
      removedAt: deletedAt === null ? null : time(deletedAt + GRACE_MS),
    };
  }

  async sizeOf(database: DatabaseRecord): Promise<number | null> {
    const all = await this.#parts.branches.list(database.id);
    const sizes = await Promise.all(all.map((branch) => this.#sizeOf(database, branch)));
    return sizes.reduce<number | null>(
      (sum, size) => sum === null || size === null ? null : sum + size,
      0,
    );
  }

  async branch(database: DatabaseRecord, branch: BranchRecord): Promise<DatabaseBranch> {
    const { engines, door } = this.#parts;
    const { id, name, parent, storage, gitBranch, createdAt, resetAt, expiresAt } = branch;
    const engine = storage === null ? undefined : await engines.opened(storage.engine);
    const running = engine !== undefined && storage !== null &&
      engine.isRunning(engineBranch(database, branch, storage));
    return {
      id,
      name,
      parent,
      gitBranch,
      ...await this.#stateOf(database, branch),
      running,
      connections: storage === null ? 0 : door.sessionsOf(storage.id),
      sizeBytes: await this.#sizeOf(database, branch),
      createdAt: time(createdAt),
      resetAt: timeOrNull(resetAt),
      expiresAt: timeOrNull(expiresAt),
    };
  }

  /** Returns the recorded state, or why the engine cannot serve an active database. */
  async #stateOf(database: DatabaseRecord, branch: BranchRecord): Promise<ShownState> {
    const recorded = stateOf(database, branch);
    const { storage } = branch;
    if (recorded.state !== "active" || storage === null) return recorded;
    try {
      const engine = await this.#parts.engines.open(storage.engine);
      if (await engine.holds(engineBranch(database, branch, storage))) return recorded;
      return { state: "failed", reason: GONE };
    } catch (error) {
      return { state: "failed", reason: reasonOf(error) };
    }
  }

  async #sizeOf(database: DatabaseRecord, branch: BranchRecord): Promise<number | null> {
    const { engines, now } = this.#parts;
    const { storage } = branch;
    if (storage === null) return null;
    const known = this.#sizes.get(storage.id);
    if (known !== undefined && now() - known.at < SIZE_MS) return known.bytes;
    try {
      const bytes = await this.#measuring.run(storage.id, async () => {
        const engine = await engines.open(storage.engine);
        return await engine.sizeOf(engineBranch(database, branch, storage));
      });
      this.#sizes.set(storage.id, { bytes, at: now() });
      return bytes;
    } catch {
      return null;
    }
  }

  async #historyOf(
    database: DatabaseRecord,
    branch: BranchRecord,
  ): Promise<DatabaseHistory | null> {
    const engine = await this.#parts.engines.open(database.engine).catch(() => undefined);
    if (engine === undefined || branch.storage === null) return null;
    const all = await Promise.all(
      [branch.storage, ...branch.former].map((storage) =>
        engine.history(engineBranch(database, branch, storage)).catch(() => undefined)
      ),
    );
    const [current] = all;
    if (current === undefined) return null;
    const { bytes, keepMs, maxBytes, problem } = current;
    // For earlier times, the previous storage has the history.
    const times = all.flatMap((facts) => facts?.since ?? []);
    return {
      since: times.length === 0 ? null : time(restorableSince(branch, Math.min(...times))),
      keepDays: keepMs / DAY_MS,
      sizeBytes: bytes,
      maxBytes,
      problem,
    };
  }

  async #versionOf(kind: DatabaseRecord["engine"]): Promise<string | null> {
    try {
      return (await (await this.#parts.engines.open(kind)).status()).version;
    } catch {
      return null;
    }
  }
}

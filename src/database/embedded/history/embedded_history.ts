/**
 * @module The history of the embedded engine: restores branches to any time within the last few
 * days. PostgreSQL is configured to keep its log. The platform moves the log that a branch no
 * longer needs to the history, and copies the branch's files when the log has grown enough.
 */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/error_message.ts";
import { formatBytes } from "../../../lib/format.ts";
import { KeyedLock } from "../../../lib/keyed_lock.ts";
import { namesIn, removeTree } from "../../../lib/missing_files.ts";
import { type Rounds, startRounds } from "../../../lib/rounds.ts";
import {
  type HistoryContent,
  type HistoryLimits,
  historySize,
  planHistory,
  totalOf,
  WAL_PART,
} from "../../history_plan.ts";
import { EngineError, type HistoryFacts } from "../../types.ts";
import type { BranchFolders, BranchNames } from "../branch_folder.ts";
import { BranchHistory } from "./branch_history.ts";
import { SEGMENT_BYTES } from "./log_position.ts";

const FIRST_MS = 500;
const LOOK_MS = 30_000;
/** Pause after a base that was too large, in milliseconds. */
const RETRY_MS = 60 * 60_000;
const MB = 1024 * 1024;
/**
 * Number of bytes that a copy must leave free on the disk, because the platform also writes there.
 */
const RESERVE = 256 * MB;
/** Fraction of the disk's free space that the history can use. */
const FREE_PART = 1 / 2;
/**
 * The next base is due when the log since the last one is as large as that base, within these
 * limits.
 */
const [LEAST_LOG, MOST_LOG] = [64 * MB, 512 * MB];
const BRANCH = /^[0-9a-f]{16}$/;
const NOT_BEGUN = "The history of a branch begins when a client first connects to it";

export interface EmbeddedHistoryOptions extends HistoryLimits {
  readonly now: Clock;
  readonly onTrouble: (message: string) => void;
}

interface HistoryParts extends EmbeddedHistoryOptions {
  readonly folders: BranchFolders;
  readonly isRunning: (id: string) => boolean;
}

interface Pruned extends HistoryContent {
  readonly limit: number;
}

const historyFolder = (root: string): string => join(root, "history");

/** Removes the history of all branches, for a platform that keeps none. */
export async function removeHistory(root: string): Promise<void> {
  await removeTree(historyFolder(root));
}

/** Returns the earliest time to which a branch can be restored, and the size of all histories. */
export async function inspectHistory(
  folders: BranchFolders,
): Promise<{ readonly since: number | undefined; readonly bytes: number } | undefined> {
  const ids = await branchesIn(historyFolder(folders.root));
  if (ids.length === 0) return undefined;
  let [since, bytes] = [undefined as number | undefined, 0];
  for (const id of ids) {
    const content = await new BranchHistory(join(historyFolder(folders.root), id), { id, folders })
      .content();
    const at = content.bases[0]?.at;
    if (at !== undefined && (since === undefined || at < since)) since = at;
    bytes += historySize(content);
  }
  return { since, bytes };
}

/** IDs of branches that have a history. */
async function branchesIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => BRANCH.test(name));
}

export class EmbeddedHistory {
  readonly #lock = new KeyedLock();
  readonly #rounds: Rounds;
  readonly #closing = new AbortController();
  /** Branches that have been opened and may have new log segments. */
  readonly #opened = new Set<string>();
  readonly #problems = new Map<string, string>();
  readonly #sizes = new Map<string, number>();
  /** Sizes of removed branches' histories, which are deleted first. */
  readonly #removedSizes = new Map<string, number>();
  readonly #nextBaseAt = new Map<string, number>();
  readonly #attending = new Set<Promise<void>>();

  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#rounds = startRounds({
      firstMs: FIRST_MS,
      everyMs: LOOK_MS,
      run: () => this.#round(),
      onError: (error) => parts.onTrouble(`Cannot keep the database history: ${error}`),
    });
  }

  get #folder(): string {
    return historyFolder(this.#parts.folders.root);
  }

  #of(id: string): BranchHistory {
    return new BranchHistory(join(this.#folder, id), { id, folders: this.#parts.folders });
  }

  /** Called when a branch is running. Once it has a base, later changes can be restored. */
  opened(id: string): void {
    this.#opened.add(id);
    const attending = this.#attend(id).finally(() => this.#attending.delete(attending));
    this.#attending.add(attending);
  }

  /** Keeps the history of a branch whose files are about to be removed. */
  async removed(id: string): Promise<void> {
    this.#opened.delete(id);
    this.#problems.delete(id);
    await this.#lock.run(id, async () => {
      const history = this.#of(id);
      await history.keepRemoved(this.#parts.now()).catch(async (error) => {
        // This can happen if the disk is full and the branch is being removed to free space.
        this.#parts.onTrouble(`Cannot keep the history of the removed branch ${id}: ${error}`);
        await history.remove();
      });
      const size = this.#sizes.get(id) ?? 0;
      this.#sizes.delete(id);
      if (await history.removedAt() !== undefined) this.#removedSizes.set(id, size);
    });
  }

  /** Describes the restorable period of a branch, and the size of all histories. */
  async facts(id: string): Promise<HistoryFacts> {
    const { keepMs, maxBytes } = this.#parts;
    const since = (await this.#of(id).bases())[0]?.at ?? null;
    const isNew = since === null && !this.#opened.has(id);
    return {
      since,
      bytes: this.#total,
      keepMs,
      maxBytes,
      problem: this.#problems.get(id) ?? (isNew ? NOT_BEGUN : null),
    };
  }

  get #total(): number {
    return [...this.#sizes.values(), ...this.#removedSizes.values()]
      .reduce((sum, size) => sum + size, 0);
  }

  /**
   * Copies a branch's state at a given time to a new one, for PostgreSQL to open.
   *
   * @returns possible names of its database and role, most likely first
   * @throws {EngineError}
   */
  async copyAt(id: string, { time, target }: {
    readonly time: number;
    readonly target: string;
  }): Promise<BranchNames[]> {
    return await this.#lock.run(id, async () => {
      const history = this.#of(id);
      await this.#requireSpace(await history.bytesAt(time));
      return await history.copyAt(time, target);
    });
  }

  /** @throws {EngineError} if a copy would fill the disk */
  async #requireSpace(bytes: number): Promise<void> {
    const [free, needed] = [await this.#freeBytes(), bytes + RESERVE];
    if (free >= needed) return;
    throw new EngineError(
      `The disk has ${formatBytes(free)} free, but a copy of the database needs ${
        formatBytes(needed)
      }`,
      "53100",
    );
  }

  async #freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#parts.folders.root);
    return bavail * bsize;
  }

  async #round(): Promise<void> {
    for (const id of await branchesIn(this.#folder)) {
      if (this.#closing.signal.aborted) return;
      if (this.#opened.has(id)) continue;
      await this.#lock.run(id, () => this.#prune(id)).catch((error) =>
        this.#parts.onTrouble(`Cannot prune the history of the database branch ${id}: ${error}`)
      );
    }
    for (const id of [...this.#opened]) {
      const runs = this.#parts.isRunning(id);
      await this.#attend(id);
      // The branch may have been opened again in the meantime.
      if (!runs && !this.#parts.isRunning(id)) this.#opened.delete(id);
    }
  }

  /** Moves the log of a branch to the history, and creates a base if one is due. Never rejects. */
  #attend(id: string): Promise<void> {
    return this.#lock.run(id, async () => {
      if (this.#closing.signal.aborted || !await this.#parts.folders.exists(id)) return;
      await this.#forgetFormer(id);
      await this.#of(id).collect();
      const plan = await this.#prune(id);
      await this.#makeBase(id, plan);
      this.#problems.delete(id);
    }).catch((error) => {
      if (this.#closing.signal.aborted) return;
      const problem = error instanceof EngineError
        ? error.message
        : `Cannot keep the history of the database: ${messageOf(error)}`;
      if (this.#problems.get(id) !== problem) {
        this.#parts.onTrouble(`History of the database branch ${id}: ${problem}`);
      }
      this.#problems.set(id, problem);
    });
  }

  /** Removes the history of a branch that was removed and created again with the same ID. */
  async #forgetFormer(id: string): Promise<void> {
    const history = this.#of(id);
    // A branch that is being removed is no longer among the open ones.
    if (await history.removedAt() === undefined || !this.#opened.has(id)) return;
    await history.remove();
    this.#removedSizes.delete(id);
  }

  async #makeBase(id: string, { bases, segments, limit }: Pruned): Promise<void> {
    const { folders, now } = this.#parts;
    const newest = bases.at(-1);
    if (newest !== undefined) {
      const due = Math.min(Math.max(LEAST_LOG, newest.bytes), MOST_LOG, limit * WAL_PART);
      if (totalOf(segments.filter(({ name }) => name >= newest.segment)) <= due) return;
    }
    if (now() < (this.#nextBaseAt.get(id) ?? 0)) {
      if (newest === undefined) throw tooLarge();
      return;
    }
    const size = await folders.sizeOf({ id });
    if (size - totalOf(segments) > limit) {
      // Avoids copying large files only to remove them again.
      this.#nextBaseAt.set(id, now() + RETRY_MS);
      throw tooLarge();
    }
    await this.#requireSpace(size);
    const bytes = await this.#of(id).makeBase(this.#closing.signal);
    const after = await this.#prune(id);
    if (bytes === 0 || (bytes <= after.limit && after.bases.length > 0)) return;
    this.#nextBaseAt.set(id, now() + RETRY_MS);
    await this.#of(id).keepOnly({ bases: [], segments: [] });
    throw tooLarge();
  }

  /** Removes old and excess content. Returns the remaining size and the limit. */
  async #prune(id: string): Promise<Pruned> {
    const { keepMs, now } = this.#parts;
    const history = this.#of(id);
    await history.removeUnfinished();
    const removedAt = await history.removedAt();
    const content = await history.content();
    const size = historySize(content);
    if (removedAt !== undefined) {
      this.#removedSizes.set(id, size);
      const isOver = this.#total > await this.#limitOfAll();
      if (!isOver && removedAt > now() - keepMs) return { ...content, limit: size };
      await history.remove();
      this.#removedSizes.delete(id);
      return { bases: [], segments: [], limit: 0 };
    }
    this.#sizes.set(id, size);
    const limit = await this.#limitOf();
    // The limit shrinks with the free disk space. If necessary, even the last remaining base is
    // deleted.
    const bases = content.bases.filter(({ bytes }) => bytes <= limit);
    const plan = planHistory({ ...content, bases }, {
      keepMs,
      maxBytes: limit,
      now: now(),
      segmentBytes: SEGMENT_BYTES,
    });
    await history.keepOnly(plan);
    this.#sizes.set(id, historySize(plan));
    return { ...plan, limit };
  }

  /**
   * Returns the size limit for one branch's history. If all histories fit, it equals the limit for
   * all of them together.
   */
  async #limitOf(): Promise<number> {
    return fairShare([...this.#sizes.values()], await this.#limitOfAll());
  }

  async #limitOfAll(): Promise<number> {
    const free = await this.#freeBytes();
    return Math.min(this.#parts.maxBytes, (free + this.#total) * FREE_PART);
  }

  /** Aborts the work in progress, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#rounds.close();
    await Promise.all(this.#attending);
  }
}

/** Returns the limit to apply to each size, so the sum of all sizes stays within `total`. */
export function fairShare(sizes: readonly number[], total: number): number {
  let left = total;
  for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return share;
    left -= size;
  }
  return total;
}

const tooLarge = (): EngineError =>
  new EngineError(
    "The history of the database does not fit: one copy of it is larger than --db-history-size " +
      "allows, or than half of the free disk space. Raise the limit, or turn the history off " +
      "with --db-history-days 0",
    "53100",
  );

/**
 * A store whose concurrent commits share transactions, and whose concurrent reads share requests.
 * Each transaction is flushed to disk once, so ten waiting writers need only one flush
 * (docs/decisions/store.md).
 *
 * @module
 */
import {
  type Changes,
  type MaybeEntry,
  type Outcome,
  type RecordKey,
  type RecordStore,
  StoreLayer,
} from "../../../store/mod.ts";
import { footprintOf } from "./footprint.ts";
import type { GroupCommitter, Waiting } from "./group_committer.ts";
import { sharedReads } from "./shared_reads.ts";
import { StoreBusyError } from "./store_busy.ts";

/** Maximum number of waiting commits, and their maximum total size. */
const MAX_WAITING = 5000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const NEVER = "0".repeat(20);

interface Writer extends Waiting {
  resolve(outcome: Outcome): void;
  reject(reason: unknown): void;
}

/** Lets waiting commits share a transaction if possible. Each commit has its own outcome. */
export class GroupedStore extends StoreLayer {
  override readonly get: <T = unknown>(key: RecordKey) => Promise<MaybeEntry<T>>;
  #waiting: Writer[] = [];
  #bytes = 0;
  #running = false;
  /** The newest version stored here, which an empty commit returns. */
  #newest = NEVER;

  readonly #committer: GroupCommitter;

  constructor(under: RecordStore, committer: GroupCommitter) {
    super(under);
    this.#committer = committer;
    this.get = sharedReads(under);
  }

  /** @throws {StoreBusyError} if too many commits are already waiting. */
  override async write({ checks, mutations }: Changes): Promise<Outcome> {
    if (checks.length + mutations.length === 0) return { ok: true, versionstamp: this.#newest };
    // Copies the changes, because the caller may add to the operation and commit it again.
    const changes = { checks: [...checks], mutations: [...mutations] };
    const footprint = footprintOf(changes);
    const { bytes } = footprint;
    const isFull = this.#waiting.length >= MAX_WAITING || this.#bytes + bytes > MAX_WAITING_BYTES;
    if (isFull && this.#waiting.length > 0) throw new StoreBusyError("are waiting for the disk");
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#waiting.push({ ...changes, footprint, resolve, reject });
    this.#bytes += bytes;
    if (!this.#running) {
      this.#running = true;
      // Commits made in the same turn of the event loop join the group.
      queueMicrotask(() => void this.#run().catch((failure) => this.#refuseAll(failure)));
    }
    return await promise;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { group, rest } = this.#committer.take(this.#waiting);
      this.#waiting = rest;
      for (const { footprint } of group) this.#bytes -= footprint.bytes;
      await this.#settle(group);
    }
    this.#running = false;
  }

  /**
   * Fails all waiting commits, which would otherwise wait forever. Later commits are not affected.
   */
  #refuseAll(failure: unknown): void {
    this.#running = false;
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
  }

  async #commit(group: readonly Writer[]) {
    try {
      return await this.#committer.commit(group);
    } catch (failure) {
      return group.map(() => ({ failure }));
    }
  }

  async #settle(group: readonly Writer[]): Promise<void> {
    const outcomes = await this.#commit(group);
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]!;
      if ("failure" in outcome) return reject(outcome.failure);
      if (outcome.ok) this.#newest = outcome.versionstamp;
      resolve(outcome);
    });
  }
}

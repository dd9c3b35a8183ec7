/**
 * A store whose concurrent commits share transactions, as its reads do: each
 * transaction of commits is flushed to disk, so ten writers that wait together cost one flush
 * (docs/decisions/writes-in-groups.md).
 *
 * @module
 */
import type { GroupCommitter } from "./group_committer.ts";
import { type Committed, type Recorded, RecordedOperation } from "./recorded_operation.ts";
import { sharedReads } from "./shared_reads.ts";
import { StoreBusyError } from "./store_busy.ts";

/** Most commits that wait, and the most that they may hold. */
const MAX_WAITING = 5000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const NEVER = "0".repeat(20);

interface Waiting extends Recorded {
  resolve(committed: Committed): void;
  reject(reason: unknown): void;
}

class CommitQueue {
  #waiting: Waiting[] = [];
  #bytes = 0;
  #running = false;
  #newest = NEVER;

  constructor(private readonly committer: GroupCommitter) {}

  /** What a commit of nothing is answered with: the newest version that was stored here. */
  readonly nothing = (): Deno.KvCommitResult => ({ ok: true, versionstamp: this.#newest });

  /** @throws {StoreBusyError} where too much waits already. */
  readonly commit = async (recorded: Recorded): Promise<Committed> => {
    const { bytes } = recorded.footprint;
    const isFull = this.#waiting.length >= MAX_WAITING || this.#bytes + bytes > MAX_WAITING_BYTES;
    if (isFull && this.#waiting.length > 0) throw new StoreBusyError("wait for the disk");
    const { promise, resolve, reject } = Promise.withResolvers<Committed>();
    this.#waiting.push({ ...recorded, resolve, reject });
    this.#bytes += bytes;
    if (!this.#running) {
      this.#running = true;
      // What is committed in the same turn joins the group.
      queueMicrotask(() => void this.#run().catch((failure) => this.#refuseAll(failure)));
    }
    return await promise;
  };

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { group, rest } = this.committer.take(this.#waiting);
      this.#waiting = rest;
      for (const { footprint } of group) this.#bytes -= footprint.bytes;
      await this.#settle(group);
    }
    this.#running = false;
  }

  /** Nobody may wait for a commit that never comes, and those that follow go on. */
  #refuseAll(failure: unknown): void {
    this.#running = false;
    this.#bytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
  }

  async #commit(group: readonly Waiting[]) {
    try {
      return await this.committer.commit(group);
    } catch (failure) {
      return group.map(() => ({ failure }));
    }
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    const outcomes = await this.#commit(group);
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]!;
      if ("failure" in outcome) return reject(outcome.failure);
      if (outcome.ok) this.#newest = outcome.versionstamp;
      resolve(outcome);
    });
  }
}

/**
 * The same store, with commits that wait at the same time in one transaction
 * where the committer lets them. Each has its own outcome, as if they were committed one
 * after the other.
 */
export function groupedKv(kv: Deno.Kv, committer: GroupCommitter): Deno.Kv {
  const queue = new CommitQueue(committer);
  const atomic = () => new RecordedOperation(queue.commit, queue.nothing);
  const changed: Readonly<Record<string, unknown>> = {
    get: sharedReads(kv),
    atomic,
    set: (...given: Parameters<Deno.Kv["set"]>) => atomic().set(...given).commit(),
    delete: async (key: Deno.KvKey) => void await atomic().delete(key).commit(),
  };
  return new Proxy(kv, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(changed, name)) return changed[name];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/**
 * A store whose concurrent commits share transactions, as its reads do: each
 * transaction of commits is flushed to disk, so ten writers that wait together cost one flush
 * (docs/decisions/writes-in-groups.md).
 *
 * @module
 */
import { type GroupLimits, takeGroup } from "./commit_group.ts";
import { type Recorded, RecordedOperation } from "./recorded_operation.ts";
import { sharedReads } from "./shared_reads.ts";
import { StoreBusyError } from "./store_busy.ts";

/** Most commits that wait, and the most that they may hold. */
const MAX_WAITING = 5000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const NEVER = "0".repeat(20);

type Committed = Deno.KvCommitResult | Deno.KvCommitError;

interface Waiting extends Recorded {
  resolve(committed: Committed): void;
  reject(reason: unknown): void;
}

class CommitQueue {
  #waiting: Waiting[] = [];
  #bytes = 0;
  #running = false;
  #newest = NEVER;

  constructor(private readonly kv: Deno.Kv, private readonly limits: GroupLimits) {}

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
      queueMicrotask(() => void this.#run());
    }
    return await promise;
  };

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { group, rest } = takeGroup(this.#waiting, this.limits);
      this.#waiting = rest;
      for (const { footprint } of group) this.#bytes -= footprint.bytes;
      await this.#settle(group);
    }
    this.#running = false;
  }

  /**
   * Commits a group. If a check fails, its halves are committed on their own,
   * until the one whose check it is stands alone. An error concerns all.
   */
  async #settle(group: readonly Waiting[]): Promise<void> {
    let committed: Committed;
    try {
      const operation = this.kv.atomic();
      for (const { replay } of group) replay(operation);
      committed = await operation.commit();
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    if (committed.ok) this.#newest = committed.versionstamp;
    if (committed.ok || group.length === 1) {
      for (const { resolve } of group) resolve(committed);
      return;
    }
    const middle = group.length >> 1;
    await this.#settle(group.slice(0, middle));
    await this.#settle(group.slice(middle));
  }
}

/**
 * The same store, with commits that wait at the same time in one transaction
 * where they touch different keys. Each has its own outcome, as if they were
 * committed one after the other; those of one transaction have the same version.
 */
export function groupedKv(kv: Deno.Kv, limits: GroupLimits): Deno.Kv {
  const queue = new CommitQueue(kv, limits);
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

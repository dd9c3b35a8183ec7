/**
 * The last minute in which scheduled tasks ran, each task's last result, and the nodes that run
 * tasks.
 *
 * @module
 */
import * as z from "zod";
import { type CronRun, cronRun } from "../../contract/cron.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Claims } from "../core/nodes/mod.ts";
import { keys, keysBelow, readAll, readRecord } from "../core/store/mod.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const roundRecord = z.object({ minute: z.number() });
const claimRecord = z.string().nullable();

/** A task that this node runs. No other node starts it before `release` is called. */
interface ClaimedTask {
  release(): Promise<void>;
}

const UNSHARED: ClaimedTask = { release: () => Promise.resolve() };

export class CronStore {
  readonly #kv: RecordStore;
  readonly #claims: Claims | undefined;

  /** @param claims shared claims, if other nodes also run tasks */
  constructor(kv: RecordStore, claims?: Claims | undefined) {
    this.#kv = kv;
    this.#claims = claims;
  }

  /**
   * Claims a minute for one of several platforms. Returns the previous minute, or `taken` if
   * another platform has claimed this one.
   */
  async claim(minute: number): Promise<{ readonly previous: number | undefined } | "taken"> {
    const found = await readRecord(this.#kv, keys.cronRound(), roundRecord);
    const previous = found?.value.minute;
    if (previous !== undefined && previous >= minute) return "taken";
    const { ok } = await this.#kv.atomic()
      .check({ key: keys.cronRound(), versionstamp: found?.versionstamp ?? null })
      .set(keys.cronRound(), { minute })
      .commit();
    return ok ? { previous } : "taken";
  }

  /** Claims a task for a run. Returns `undefined` if another node runs the task. */
  async claimTask(
    { projectId, path }: { readonly projectId: string; readonly path: string },
  ): Promise<ClaimedTask | undefined> {
    if (this.#claims === undefined) return UNSHARED;
    const kv = this.#kv;
    const key = keys.cronClaim(projectId, sha256Hex(path));
    const held = await readRecord(kv, key, claimRecord);
    return await this.#claims.takeOver(held?.value, async (holder) => {
      const check = { key, versionstamp: held?.versionstamp ?? null };
      const taken = await kv.atomic().check(check).set(key, holder).commit();
      if (!taken.ok) return undefined;
      const mine = { key, versionstamp: taken.versionstamp };
      return {
        async release() {
          await kv.atomic().check(mine).delete(key).commit();
        },
      };
    });
  }

  async keepRun(projectId: string, run: CronRun): Promise<void> {
    await this.#kv.set(keys.cronRun(projectId, sha256Hex(run.path)), run);
  }

  async runsOf(projectId: string): Promise<ReadonlyMap<string, CronRun>> {
    const runs = new Map<string, CronRun>();
    for await (const { value } of readAll(this.#kv, keys.cronRuns(projectId), cronRun)) {
      runs.set(value.path, value);
    }
    return runs;
  }

  async *keysOf(projectId: string): AsyncGenerator<RecordKey> {
    yield* keysBelow(this.#kv, keys.cronRuns(projectId));
    yield* keysBelow(this.#kv, keys.cronClaims(projectId));
  }
}

/**
 * The record of scheduled tasks that survives a restart: the last minute that ran, and each task's
 * last result.
 *
 * @module
 */
import * as z from "zod";
import { type CronRun, cronRun } from "../../contract/cron.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const roundRecord = z.object({ minute: z.number() });

export class CronStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /**
   * Takes a minute for a round. Of several platforms over one store, one gets it.
   * Returns the minute before, or "taken".
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

  async keepRun(projectId: string, run: CronRun): Promise<void> {
    await this.#kv.set(keys.cronRun(projectId, sha256Hex(run.path)), run);
  }

  /** The last run of each path of a project. */
  async runsOf(projectId: string): Promise<ReadonlyMap<string, CronRun>> {
    const runs = new Map<string, CronRun>();
    for await (const { value } of readAll(this.#kv, keys.cronRuns(projectId), cronRun)) {
      runs.set(value.path, value);
    }
    return runs;
  }

  /** Keys of all that is stored about a project. */
  async *keysOf(projectId: string): AsyncGenerator<RecordKey> {
    for await (const { key } of this.#kv.list({ prefix: keys.cronRuns(projectId) })) yield key;
  }
}

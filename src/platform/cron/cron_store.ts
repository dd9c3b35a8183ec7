/** The last minute in which scheduled tasks ran, and each task's last result. @module */
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
    for await (const { key } of this.#kv.list({ prefix: keys.cronRuns(projectId) })) yield key;
  }
}

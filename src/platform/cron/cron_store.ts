/**
 * The last minute in which scheduled tasks ran, the nodes that run tasks, and each task's last
 * result.
 *
 * @module
 */
import * as z from "zod";
import { type CronRun, cronRun } from "../../contract/cron.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Claims, type Nodes } from "../core/nodes/mod.ts";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const roundRecord = z.object({ minute: z.number() });

/** A task of a project's production deployment. */
interface TaskPlace {
  readonly projectId: string;
  readonly path: string;
}

const claimKey = ({ projectId, path }: TaskPlace): RecordKey =>
  keys.cronClaim(projectId, sha256Hex(path));

export class CronStore {
  readonly #kv: RecordStore;
  readonly #claims: Claims | undefined;

  /** @param nodes the nodes that share the store, if there are several */
  constructor(kv: RecordStore, nodes?: Pick<Nodes, "instance" | "isAlive">) {
    this.#kv = kv;
    this.#claims = nodes && new Claims(nodes);
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

  /** Claims a task. Returns `false` if another live node runs it. */
  async claimTask(task: TaskPlace): Promise<boolean> {
    const claims = this.#claims;
    return claims === undefined || await claims.take(this.#kv, claimKey(task)) !== undefined;
  }

  /** Lets other nodes run a task, unless another node has already taken it over. */
  async releaseTask(task: TaskPlace): Promise<void> {
    await this.#claims?.release(this.#kv, claimKey(task));
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
    for (const prefix of [keys.cronRuns(projectId), keys.cronClaims(projectId)]) {
      for await (const { key } of this.#kv.list({ prefix })) yield key;
    }
  }
}

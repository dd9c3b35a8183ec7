/**
 * Shares purges between nodes, using records with a limited lifetime. A node that has been away for
 * longer than this lifetime may have missed purges, so it purges everything.
 *
 * @module
 */
import * as z from "zod";
import type { PurgeScope } from "../../edge/mod.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import type { CachedAnswers } from "../compute/mod.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import { noteFollowed, wasAwayFor } from "./last_followed.ts";
import type { RecordKey } from "../../store/mod.ts";

/**
 * Lifetime of a purge record, in milliseconds. Other nodes must learn of the purge within this
 * time.
 */
const REMEMBERED_MS = 15 * 60 * 1000;

/**
 * Maximum absence after which a node still learns of all purges, in milliseconds. This is shorter
 * than the lifetime of purge records, because some of them may be about to expire.
 */
const MAX_ABSENCE_MS = REMEMBERED_MS - 60 * 1000;

/** How often a node records that it knows of all purges, in milliseconds. */
const NOTED_EVERY_MS = 60 * 1000;

const scopeRecord = z.custom<PurgeScope>((value) => typeof value === "object" && value !== null);

const purgeRecord = z.union([
  z.object({ deploymentId: z.string(), scope: scopeRecord, soft: z.boolean() }),
  /** Revalidations that a deployment's own server requests. */
  z.object({ deploymentId: z.string(), scopes: z.array(scopeRecord), soft: z.boolean() }),
]);
type PurgeRecord = z.infer<typeof purgeRecord>;

export interface SharedPurgesParts
  extends
    Pick<Foundation, "dataDir" | "isCurrent" | "kv" | "nodes" | "now" | "onTrouble" | "random"> {
  readonly cached: Pick<CachedAnswers, "purge" | "purgeAll" | "repeatRevalidation">;
}

export class SharedPurges {
  #rounds: Rounds | undefined;

  readonly #parts: SharedPurgesParts;

  constructor(parts: SharedPurgesParts) {
    this.#parts = parts;
  }

  /** Notifies other nodes of a purge, if there may be other nodes. */
  async tell(record: PurgeRecord): Promise<void> {
    const { kv, nodes, now, random } = this.#parts;
    if (!nodes.isShared) return;
    await kv.set(keys.purge(uuidV7(now, random)), record, { expireIn: REMEMBERED_MS });
  }

  /**
   * Applies the purges that other nodes made while this node was away. The purged pages are still
   * on this node's disk.
   */
  async recover(): Promise<void> {
    const { kv, nodes, dataDir, now } = this.#parts;
    if (!nodes.isShared) return;
    const absence = await wasAwayFor(dataDir.cache, now());
    if (absence === undefined || absence > MAX_ABSENCE_MS) return await this.purgeAll();
    for await (const { value } of readAll(kv, keys.purges(), purgeRecord)) {
      await this.#repeat(value);
    }
  }

  /** Applies the purges of other nodes whose records have changed. */
  async repeat(changed: readonly RecordKey[]): Promise<void> {
    for (const key of changed) {
      if (key[0] !== keys.purges()[0]) continue;
      const found = await readRecord(this.#parts.kv, key, purgeRecord);
      if (found === undefined) return await this.purgeAll();
      await this.#repeat(found.value);
    }
  }

  /** Purges everything on this node, because it may have missed a purge. */
  async purgeAll(): Promise<void> {
    await this.#parts.cached.purgeAll();
  }

  /** Regularly records that this node knows of all purges, until `close()` is called. */
  start(): void {
    if (!this.#parts.nodes.isShared) return;
    this.#rounds = startRounds({
      firstMs: 0,
      everyMs: NOTED_EVERY_MS,
      run: () => this.#note(),
      onError: (error) => this.#parts.onTrouble(`Cannot record purges: ${error}`),
    });
  }

  async close(): Promise<void> {
    await this.#rounds?.close();
  }

  async #note(): Promise<void> {
    const { dataDir, isCurrent, now } = this.#parts;
    if (isCurrent()) await noteFollowed(dataDir.cache, now());
  }

  async #repeat(record: PurgeRecord): Promise<void> {
    const { deploymentId, soft } = record;
    const { cached } = this.#parts;
    if ("scope" in record) await cached.purge(deploymentId, record.scope, { soft });
    else await cached.repeatRevalidation(deploymentId, record);
  }
}

/**
 * Responses to triggers with an `Idempotency-Key`. For a day, the same key gets the same
 * deployment. Only hashes of the key and the body are stored.
 *
 * @module
 */
import * as z from "zod";
import { IDEMPOTENCY_HOURS } from "../../contract/endpoint.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure } from "../core/http/mod.ts";
import { keys, readRecord } from "../core/store/mod.ts";
import type { Operation, RecordStore } from "../../store/mod.ts";

const KEPT_MS = IDEMPOTENCY_HOURS * 60 * 60 * 1000;

const replayRecord = z.object({
  bodyHash: z.string(),
  deploymentId: z.string(),
  answeredAt: z.number(),
});

export interface ReplayKey {
  readonly hookId: string;
  readonly keyHash: string;
  readonly bodyHash: string;
  /** ID of the deployment that the key created earlier, if that deployment was deleted. */
  readonly gone?: string;
}

/** Thrown if another node has used the key in the meantime. */
export class ReplayedError extends Error {
  override readonly name = "ReplayedError";
}

export function replayKey(
  hookId: string,
  { key, body }: { readonly key: string; readonly body: unknown },
): ReplayKey {
  return { hookId, keyHash: sha256Hex(key), bodyHash: sha256Hex(JSON.stringify(body)) };
}

export class ReplayStore {
  readonly #kv: RecordStore;
  readonly #now: Clock;

  constructor(kv: RecordStore, now: Clock) {
    this.#kv = kv;
    this.#now = now;
  }

  /** Finds the deployment for a key. @throws {Failure} `conflict` for a different body. */
  async find(replay: ReplayKey): Promise<string | undefined> {
    return (await this.#read(replay)).deploymentId;
  }

  async #read({ hookId, keyHash, bodyHash }: ReplayKey) {
    const key = keys.hookReplay(hookId, keyHash);
    const found = await readRecord(this.#kv, key, replayRecord);
    const place = { key, versionstamp: found?.versionstamp ?? null };
    if (found === undefined || this.#now() - found.value.answeredAt >= KEPT_MS) return { place };
    const { deploymentId } = found.value;
    if (found.value.bodyHash === bodyHash) return { place, deploymentId };
    throw new Failure(
      "conflict",
      "Idempotency-Key was used with a different body: use a new key for a new deployment",
    );
  }

  /** Stores the response with the deployment. Only one node succeeds. @throws {ReplayedError} */
  async keepWith(
    operation: Operation,
    replay: ReplayKey,
    deploymentId: string,
  ): Promise<void> {
    const { place, deploymentId: answered } = await this.#read(replay);
    if (answered !== undefined && answered !== replay.gone) throw new ReplayedError();
    this.#set(operation.check(place), replay, deploymentId);
  }

  /** Stores a response that creates no deployment. */
  async keep(replay: ReplayKey, deploymentId: string): Promise<void> {
    const operation = this.#kv.atomic();
    this.#set(operation, replay, deploymentId);
    await operation.commit();
  }

  #set(
    operation: Operation,
    { hookId, keyHash, bodyHash }: ReplayKey,
    deploymentId: string,
  ): void {
    const record = { bodyHash, deploymentId, answeredAt: this.#now() };
    operation.set(keys.hookReplay(hookId, keyHash), record, { expireIn: KEPT_MS });
  }
}

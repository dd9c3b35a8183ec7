/**
 * Stores requests that have an `Idempotency-Key` in Deno KV: a marker that shows that the request
 * was started, and the sealed response. The response is split into parts, because a value can be at
 * most 64 KiB.
 *
 * @module
 */
import * as z from "zod";
import { type SealedSecret, sealedSecret } from "../secrets/mod.ts";
import { keys, readAll, readRecord, type Versioned } from "../store/mod.ts";
import type { RecordStore } from "../../../store/mod.ts";

const PART_BYTES = 60_000;

const begun = z.object({ fingerprint: z.string(), startedAt: z.number() });
type BegunRequest = z.infer<typeof begun>;

const answered = sealedSecret.omit({ data: true }).extend({ parts: z.number() });
const part = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

export class IdempotencyStore {
  readonly #kv: RecordStore;
  readonly #keptMs: number;

  constructor(kv: RecordStore, keptMs: number) {
    this.#kv = kv;
    this.#keptMs = keptMs;
  }

  async find(id: string): Promise<Versioned<BegunRequest> | undefined> {
    return await readRecord(this.#kv, keys.idempotency(id), begun);
  }

  /**
   * Marks a request as started, replacing an earlier marker. Returns `false` if another node has
   * done so first.
   */
  async begin(
    id: string,
    request: BegunRequest,
    earlier: Versioned<BegunRequest> | undefined,
  ): Promise<boolean> {
    const key = keys.idempotency(id);
    const { ok } = await this.#kv.atomic()
      .check({ key, versionstamp: earlier?.versionstamp ?? null })
      .set(key, request, { expireIn: this.#keptMs })
      .delete(keys.idempotencyAnswer(id))
      .commit();
    return ok;
  }

  async remove(id: string): Promise<void> {
    await this.#kv.delete(keys.idempotency(id));
  }

  /** Stores a response. The response takes effect when its last part is written. */
  async keep(id: string, { data, ...sealed }: SealedSecret): Promise<void> {
    const expireIn = this.#keptMs;
    let parts = 0;
    for (let start = 0; start < data.byteLength; start += PART_BYTES) {
      const bytes = data.slice(start, start + PART_BYTES);
      await this.#kv.set(keys.idempotencyPart(id, parts++), bytes, { expireIn });
    }
    await this.#kv.set(keys.idempotencyAnswer(id), { ...sealed, parts }, { expireIn });
  }

  async answer(id: string): Promise<SealedSecret | undefined> {
    const found = await readRecord(this.#kv, keys.idempotencyAnswer(id), answered);
    if (found === undefined) return undefined;
    const { parts, ...sealed } = found.value;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const { value } of readAll(this.#kv, keys.idempotencyParts(id), part)) {
      if (chunks.length < parts) chunks.push(value);
    }
    const data = new Uint8Array(await new Blob(chunks).arrayBuffer());
    return { ...sealed, data };
  }
}

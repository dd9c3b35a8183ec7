/**
 * Marks on blobs in the records: unused, being removed, or damaged. All nodes see the same marks,
 * and a mark changes only in a checked commit.
 *
 * A blob is removed in two steps. A sweep marks it. A day later, if a sweep finds the mark
 * unchanged, it changes the mark to "removing" and removes the object. Code that needs the blob in
 * the meantime must remove the mark: only one of the two commits succeeds. The request that removes
 * the object is signed before the commit and expires. Therefore, a suspended node cannot remove an
 * object that has been stored again.
 *
 * @module
 */
import * as z from "zod";
import { keys, readAll, readRecord, type Versioned } from "../store/mod.ts";
import type { Lease, RecordStore } from "../../../store/mod.ts";

const time = z.number();

const markSchema = z.discriminatedUnion("state", [
  /** Nothing has needed the blob since the given time. */
  z.object({ state: z.literal("unneeded"), since: time }),
  /** The blob's object can still be removed until the given time on the storage's clock. */
  z.object({ state: z.literal("removing"), until: time }),
  /** The blob's object has different content. */
  z.object({ state: z.literal("damaged"), since: time }),
]);

export type BlobMark = z.infer<typeof markSchema>;

export interface BlobName {
  readonly workspaceId: string;
  readonly sha256: string;
}

const keyOf = ({ workspaceId, sha256 }: BlobName) => keys.blobMark(workspaceId, sha256);

export class BlobMarks {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async find(blob: BlobName): Promise<Versioned<BlobMark> | undefined> {
    return await readRecord(this.#kv, keyOf(blob), markSchema);
  }

  async *all(): AsyncGenerator<BlobName & { readonly mark: BlobMark }> {
    for await (const { key, value } of readAll(this.#kv, keys.blobMarks(), markSchema)) {
      yield { workspaceId: String(key[1]), sha256: String(key[2]), mark: value };
    }
  }

  /**
   * Sets a mark if its current value is still `before`. Returns `false` if another process has
   * changed it first.
   */
  async set(
    blob: BlobName,
    before: Versioned<BlobMark> | undefined,
    mark: BlobMark,
    lease?: Lease,
  ): Promise<boolean> {
    const versionstamp = before?.versionstamp ?? null;
    const key = keyOf(blob);
    return (await this.#kv.atomic().check({ key, versionstamp }).set(key, mark)
      .commit(lease)).ok;
  }

  async remove(blob: BlobName, before: Versioned<BlobMark>, lease?: Lease): Promise<boolean> {
    const key = keyOf(blob);
    const { versionstamp } = before;
    return (await this.#kv.atomic().check({ key, versionstamp }).delete(key)
      .commit(lease)).ok;
  }

  /**
   * Removes the mark of an unneeded blob, so the blob is kept for at least a day. Returns the mark
   * of a blob that must be stored again.
   */
  async takeBack(blob: BlobName, lease?: Lease): Promise<Versioned<BlobMark> | undefined> {
    for (;;) {
      const found = await this.find(blob);
      if (found?.value.state !== "unneeded") return found;
      if (await this.remove(blob, found, lease)) return undefined;
    }
  }
}

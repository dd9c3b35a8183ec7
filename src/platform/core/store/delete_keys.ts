/** Deletes many records in batches. After a crash, the caller must repeat the deletion. @module */
import type { RecordKey, RecordStore } from "../../../store/mod.ts";

/** Maximum number of mutations in one commit. Deno KV allows 1,000. */
const BATCH = 200;

/** Deletes the given keys in batches as they are found. */
export async function deleteKeys(kv: RecordStore, found: AsyncIterable<RecordKey>): Promise<void> {
  let batch = kv.atomic();
  let size = 0;
  for await (const key of found) {
    batch.delete(key);
    if (++size < BATCH) continue;
    await batch.commit();
    [batch, size] = [kv.atomic(), 0];
  }
  if (size > 0) await batch.commit();
}

/** Counts the keys that start with a prefix and have more parts, up to `most`. */
export async function countBelow(
  kv: RecordStore,
  prefix: RecordKey,
  most: number,
): Promise<number> {
  let count = 0;
  for await (const _ of kv.list({ prefix }, { limit: most })) count++;
  return count;
}

/** Selects all keys that start with a prefix and have more parts. */
export async function* keysBelow(kv: RecordStore, prefix: RecordKey): AsyncGenerator<RecordKey> {
  for await (const entry of kv.list({ prefix })) yield entry.key;
}

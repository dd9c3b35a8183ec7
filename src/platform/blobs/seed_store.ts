/**
 * Copies production's objects to an environment's store once, when the first deployment that
 * requests the copy opens. The copies share the content of the originals.
 *
 * @module
 */
import { commitWithRetries, keys } from "../core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";
import type { BlobPlace } from "./object_record.ts";
import type { ObjectStore } from "./object_store.ts";
import { hasCode } from "./store_error.ts";

const PAGE = 500;

/** Copies missing objects. After a crash, the next call copies the remaining ones. */
export async function seedStore(
  { kv, objects, now }: {
    readonly kv: RecordStore;
    readonly objects: ObjectStore;
    readonly now: () => number;
  },
  from: BlobPlace,
  to: BlobPlace,
): Promise<void> {
  const mark = keys.blobSeed(to.projectId, to.environment);
  if ((await kv.get(mark)).versionstamp !== null) return;
  let after: string | undefined;
  do {
    const { items, next } = await objects.listObjects(from, { prefix: "", after, limit: PAGE });
    for (const source of items) {
      try {
        await objects.copy(source, to, source.key, { condition: { ifNoneMatch: "*" } });
      } catch (error) {
        // The environment has written the key itself, or an earlier call has copied the object.
        if (!hasCode(error, "PreconditionFailed")) throw error;
      }
    }
    after = next ?? undefined;
  } while (after !== undefined);
  await commitWithRetries(kv, [mark], (operation) => {
    operation.set(mark, { at: now() });
    return Promise.resolve();
  });
}

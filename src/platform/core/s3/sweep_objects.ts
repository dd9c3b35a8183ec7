/** Removes objects that nothing needs, while other nodes use the same bucket. @module */
import type { Versioned } from "../store/mod.ts";
import type { BlobMark, BlobMarks, BlobName } from "./blob_marks.ts";
import { objectKey } from "./s3_blob_store.ts";
import type { S3Bucket } from "./s3_bucket.ts";
import { listObjects } from "./list_objects.ts";
import type { Lease, Led } from "../../../store/mod.ts";

/** Minimum time between marking an object and removing it, in milliseconds. */
const REMOVAL_DELAY_MS = 24 * 60 * 60_000;

/** How long the storage accepts a request to remove an object, in seconds. */
const REMOVAL_SECONDS = 30;

/** Allowance for clock differences and slow requests, in milliseconds. */
const REMOVAL_MARGIN_MS = 30_000;

interface SweepOptions {
  readonly bucket: S3Bucket;
  readonly marks: Led<BlobMarks>;
  isNeeded(blob: BlobName): boolean;
  /** Minimum age of objects to check, in milliseconds. */
  readonly minAgeMs: number;
  readonly now: number;
  readonly lease: Lease;
}

/** Runs one round. Returns how many objects were removed. */
export async function sweepObjects(options: SweepOptions): Promise<number> {
  const { bucket, marks, isNeeded, minAgeMs, now, lease } = options;
  const marked = new Map<string, BlobName & { readonly mark: BlobMark }>();
  for await (const blob of marks.all()) marked.set(objectKey(blob.workspaceId, blob.sha256), blob);
  let removed = 0;
  for await (const { workspaceId, sha256, writtenAt } of listObjects(bucket)) {
    const blob = { workspaceId, sha256 };
    const key = objectKey(workspaceId, sha256);
    const known = marked.get(key);
    marked.delete(key);
    if (isNeeded(blob)) {
      if (known?.mark.state === "unneeded") await marks.takeBack(blob, lease);
    } else if (now - writtenAt >= minAgeMs) {
      if (await judge(options, blob, known !== undefined)) removed++;
    }
  }
  // The marks on removed objects are obsolete.
  for (const blob of marked.values()) await removeMark(options, blob);
  return removed;
}

/** Marks an unneeded object, or removes one that was marked long ago. */
async function judge(options: SweepOptions, blob: BlobName, isMarked: boolean): Promise<boolean> {
  const { bucket, marks, now, lease } = options;
  const found = isMarked ? await marks.find(blob) : undefined;
  if (found === undefined) {
    await marks.set(blob, undefined, { state: "unneeded", since: now }, lease);
    return false;
  }
  const { value: mark } = found;
  const isDue = mark.state === "removing"
    ? mark.until < bucket.requests.storageTime()
    : now - mark.since >= REMOVAL_DELAY_MS;
  return isDue && await removeObject(options, blob, found);
}

/** Removes an object, unless another process removes its mark first. */
async function removeObject(
  { bucket, marks, lease }: SweepOptions,
  blob: BlobName,
  before: Versioned<BlobMark>,
): Promise<boolean> {
  const { requests } = bucket;
  await requests.look();
  const key = objectKey(blob.workspaceId, blob.sha256);
  // Signed before the commit, so it has expired by the time another process can store the blob
  // again.
  const removal = await requests.presign("DELETE", key, REMOVAL_SECONDS);
  const until = requests.storageTime() + REMOVAL_SECONDS * 1000 + REMOVAL_MARGIN_MS;
  if (!await marks.set(blob, before, { state: "removing", until }, lease)) return false;
  await requests.attempt(() => requests.sendSigned(removal.clone()));
  const removing = await marks.find(blob);
  if (removing?.value.state === "removing" && removing.value.until === until) {
    await marks.remove(blob, removing, lease);
  }
  return true;
}

async function removeMark({ bucket, marks, lease }: SweepOptions, blob: BlobName): Promise<void> {
  const found = await marks.find(blob);
  if (found === undefined) return;
  const { value: mark } = found;
  if (mark.state === "removing" && mark.until >= bucket.requests.storageTime()) return;
  if (await bucket.size(objectKey(blob.workspaceId, blob.sha256)) !== undefined) return;
  await marks.remove(blob, found, lease);
}

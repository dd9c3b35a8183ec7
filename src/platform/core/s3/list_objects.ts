/** Lists the blobs in a bucket, and skips other objects. @module */
import { isSha256 } from "../../../lib/hash.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { StoredBlob } from "../store/mod.ts";
import { objectKey } from "./s3_blob_store.ts";
import type { S3Bucket } from "./s3_bucket.ts";

export interface BlobObject extends StoredBlob {
  /** When the object was stored, according to the storage's clock, in milliseconds since 1970. */
  readonly writtenAt: number;
}

export async function* listObjects(bucket: S3Bucket): AsyncGenerator<BlobObject> {
  for await (const { key, size, writtenAt } of bucket.list()) {
    const [workspaceId = "", , sha256 = ""] = key.split("/");
    if (!isUuid(workspaceId) || !isSha256(sha256)) continue;
    if (key === objectKey(workspaceId, sha256)) yield { workspaceId, sha256, size, writtenAt };
  }
}

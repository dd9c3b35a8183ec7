/**
 * The blobs of all workspaces, in shared object storage, with a cache on this node's disk.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { type BlobVault, DiskCache, prepareIncoming, StoreUnusableError } from "../store/mod.ts";
import { BlobMarks } from "./blob_marks.ts";
import { listObjects } from "./list_objects.ts";
import { S3BlobStore } from "./s3_blob_store.ts";
import { S3Bucket } from "./s3_bucket.ts";
import { findS3Credentials } from "./s3_credentials.ts";
import { describeS3Place, parseS3Place } from "./s3_place.ts";
import { DEFAULT_PATIENCE, S3Error, type S3Patience, S3Requests } from "./s3_requests.ts";
import { sweepObjects } from "./sweep_objects.ts";
import { DEFAULTS } from "../../../settings/mod.ts";
import type { RecordStore } from "../../../store/mod.ts";

interface S3VaultOptions {
  /** `s3://bucket/prefix?endpoint=…&region=…` */
  readonly place: string;
  readonly env: Environment;
  /** The records, which include the marks on blobs. */
  readonly kv: RecordStore;
  /** Folder for cached files. Only this node uses it. */
  readonly cache: string;
  /** Maximum disk space for cached files, in bytes. */
  readonly cacheBytes?: number | undefined;
  readonly now: Clock;
  readonly patience?: S3Patience;
  /** Size of the parts in which large objects are sent, in bytes. */
  readonly partBytes?: number;
  onDamaged(message: string): void;
  onTrouble(message: string): void;
}

export interface CachedVault extends BlobVault {
  of(workspaceId: string): S3BlobStore;
  /** Resolves when the cache is within its limit. */
  settled(): Promise<void>;
}

/**
 * Opens the blobs in object storage. If the storage does not respond, retries in the background.
 * Cached blobs stay readable.
 *
 * @throws {S3PlaceError}
 * @throws {S3CredentialsError} if there are no access keys.
 * @throws {StoreUnusableError} if the storage refuses the keys, the bucket does not exist, or the
 * folder cannot be written.
 */
export async function openS3BlobVault(options: S3VaultOptions): Promise<CachedVault> {
  const { kv, now, cache: root, onTrouble } = options;
  const place = parseS3Place(options.place);
  const credentials = await findS3Credentials(options.env);
  await prepareIncoming(root);
  const requests = new S3Requests({
    place,
    credentials,
    now,
    patience: options.patience ?? DEFAULT_PATIENCE,
    onChange: (problem) =>
      onTrouble(
        problem ?? `The object storage is available again: ${describeS3Place(place)}`,
      ),
  });
  await requests.look().catch((error) => {
    if (!isRefusal(error.cause)) return;
    requests.close();
    throw new StoreUnusableError(
      `Cannot use the object storage, ${describeS3Place(place)}: ${error.cause.message} ` +
        adviceFor(error.cause),
      { cause: error },
    );
  });
  const bucket = new S3Bucket(requests, place.prefix, options.partBytes);
  const marks = new BlobMarks(kv);
  const maxBytes = options.cacheBytes ?? DEFAULTS.blobCacheBytes;
  const cache = new DiskCache({ root, maxBytes, onTrouble });
  const stores = new Map<string, S3BlobStore>();
  return {
    of(workspaceId) {
      if (!isUuid(workspaceId)) throw new TypeError(`Not a workspace ID: ${workspaceId}`);
      let store = stores.get(workspaceId);
      if (store === undefined) {
        const { onDamaged } = options;
        store = new S3BlobStore({ workspaceId, bucket, marks, cache, root, now, onDamaged });
        stores.set(workspaceId, store);
      }
      return store;
    },
    list: () => listObjects(bucket),
    async countWorkspaces() {
      let count = 0;
      for await (const name of bucket.folders()) if (isUuid(name)) count++;
      return count;
    },
    problem: () => requests.problem,
    settled: () => cache.settled(),
    close: () => requests.close(),
    async sweep({ mark, lease, minAgeMs, now }) {
      const isNeeded = await mark();
      return await sweepObjects({
        bucket,
        marks,
        minAgeMs,
        now,
        lease,
        isNeeded: ({ workspaceId, sha256 }) => isNeeded(workspaceId, sha256),
      });
    },
  };
}

/** Returns advice on a refusal, to be shown after the storage's own message. */
function adviceFor({ code }: S3Error): string {
  return code === "NoSuchBucket"
    ? "Create the bucket, or choose another one"
    : "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and their permissions on the bucket";
}

function isRefusal(error: unknown): error is S3Error {
  return error instanceof S3Error && error.status >= 400 && error.status < 500;
}

/**
 * @module Uploads blobs, with several requests at a time. Small blobs share a request, and each
 * large blob gets a separate one. Failed requests are retried with increasing pauses. The platform
 * keeps uploaded blobs, so after an interruption, the next deploy uploads only the missing ones.
 */
import pMap from "p-map";
import { postBlobs, putBlob } from "../contract/blobs.ts";
import { buildPath, type Client, type RawRequest } from "./client.ts";
import { CutUploadError, UnreachableError } from "./errors.ts";
import { openFileStream } from "./file_stream.ts";
import { type RetryPolicy, UPLOAD_RETRIES, withRetries } from "./retry.ts";

/** A blob, on disk or in memory. */
export interface BlobSource {
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
  /** The content, or the absolute path of the file that contains it. */
  readonly content: string | Uint8Array<ArrayBuffer>;
}

interface UploadOptions {
  /** The deployment that needs the blobs. Each uploaded blob keeps the deployment from expiring. */
  readonly deployment?: string;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly retries?: RetryPolicy;
  /**
   * Called with the progress since the last call: confirmed blobs, and bytes of large blobs that
   * were sent. When a blob is sent again, its bytes are subtracted first.
   */
  readonly onProgress?: (done: { readonly files: number; readonly bytes: number }) => void;
}

/** Maximum size of a blob in a batch, in bytes (1 MiB). */
const MAX_BATCHED_BLOB = 1024 * 1024;
/** Space for the boundary and headers of one multipart part, in bytes. */
const PART_OVERHEAD = 320;
/**
 * Maximum size of a batch. The contract allows eight times as much, but while the platform reads
 * 500 small blobs, it blocks for 130 ms and visitors wait.
 */
const BATCH_BYTES = 1024 * 1024 + PART_OVERHEAD;
const BATCH_BLOBS = 100;
const DEFAULT_CONCURRENCY = 4;

interface UploadPlan {
  readonly batches: readonly (readonly BlobSource[])[];
  readonly single: readonly BlobSource[];
}

/** Packs blobs in order into batches that are well within the contract's limits. */
export function planUpload(blobs: readonly BlobSource[]): UploadPlan {
  const batches: BlobSource[][] = [];
  const single: BlobSource[] = [];
  let bytes = Infinity;
  for (const blob of blobs) {
    if (blob.size > MAX_BATCHED_BLOB) {
      single.push(blob);
      continue;
    }
    const cost = blob.size + PART_OVERHEAD;
    const current = batches.at(-1);
    if (
      current === undefined || current.length === BATCH_BLOBS || bytes + cost > BATCH_BYTES
    ) {
      batches.push([blob]);
      bytes = cost;
    } else {
      current.push(blob);
      bytes += cost;
    }
  }
  return { batches, single };
}

async function readBatch(batch: readonly BlobSource[]): Promise<FormData> {
  const form = new FormData();
  for (const blob of batch) {
    const { content } = blob;
    const bytes = typeof content === "string" ? await Deno.readFile(content) : content;
    form.set(blob.sha256, new Blob([bytes]), blob.sha256);
  }
  return form;
}

type BlobQuery = Readonly<Record<string, string | undefined>>;

function batchRequest(batch: readonly BlobSource[], query: BlobQuery): RawRequest {
  const { method, path } = postBlobs;
  return { method, path: buildPath(path, { query }), body: () => readBatch(batch) };
}

/** Counts the bytes of a body as they are sent. */
function counted(
  body: ReadableStream<Uint8Array>,
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        onBytes(chunk.byteLength);
        controller.enqueue(chunk);
      },
    }),
  );
}

function singleRequest(
  blob: BlobSource,
  query: BlobQuery,
  onBytes: (bytes: number) => void,
): RawRequest {
  const { method, path } = putBlob;
  return {
    method,
    path: buildPath(path, { params: { sha256: blob.sha256 }, query }),
    headers: { "content-type": "application/octet-stream" },
    body: async () =>
      counted(
        typeof blob.content === "string"
          ? await openFileStream(blob.content)
          : new Blob([blob.content]).stream(),
        onBytes,
      ),
  };
}

interface Job {
  /**
   * Creates the request, which can be retried. `onBytes` is called with the progress of its body.
   */
  readonly request: (onBytes: (bytes: number) => void) => RawRequest;
  readonly blobs: readonly BlobSource[];
}

/**
 * Uploads all `blobs` and returns when the platform has confirmed each of them. At most
 * `concurrency` batches are in memory at a time. Rejects with the first failure that persists after
 * retries.
 */
export async function uploadBlobs(
  client: Client,
  blobs: readonly BlobSource[],
  options: UploadOptions = {},
): Promise<void> {
  const plan = planUpload(blobs);
  const query = { deployment: options.deployment };
  const jobs: Job[] = [
    ...plan.single.map((blob) => ({
      request: (onBytes: (bytes: number) => void) => singleRequest(blob, query, onBytes),
      blobs: [blob],
    })),
    ...plan.batches.map((batch) => ({ request: () => batchRequest(batch, query), blobs: batch })),
  ];
  const stop = new AbortController();
  const signal = options.signal === undefined
    ? stop.signal
    : AbortSignal.any([options.signal, stop.signal]);
  const upload = async ({ request, blobs }: Job): Promise<void> => {
    let sent = 0;
    const report = (files: number, bytes: number) => {
      sent += bytes;
      options.onProgress?.({ files, bytes });
    };
    const attempt = () => {
      if (sent > 0) report(0, -sent);
      return client.fetchRaw({ ...request((bytes) => report(0, bytes)), signal });
    };
    const policy = options.retries ?? UPLOAD_RETRIES;
    const size = blobs.reduce((sum, blob) => sum + blob.size, 0);
    const response = await withRetries(attempt, { policy, signal }).catch((error) => {
      if (!(error instanceof UnreachableError)) throw error;
      throw new CutUploadError({ blobs: blobs.map(({ sha256 }) => sha256), sent, size }, error);
    });
    await response.body?.cancel();
    report(blobs.length, size - sent);
  };
  try {
    await pMap(jobs, upload, { concurrency: options.concurrency ?? DEFAULT_CONCURRENCY });
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

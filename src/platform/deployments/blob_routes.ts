/** `/v1/blobs`: uploads, each checked against its announced hash. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { MAX_BATCH_BLOBS } from "../../contract/blobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSha256 } from "../../lib/hash.ts";
import { Failure, readBytes, type Router } from "../core/http/mod.ts";
import type { BlobStore, BlobVault } from "../core/store/mod.ts";
import type { OpenUploads } from "./open_uploads.ts";
import { type OnChunk, startHeartbeat, watchStream } from "./upload_heartbeat.ts";

/** Maximum number of a batch's blobs to write at the same time. */
const PARALLEL_WRITES = 8;

const MAX_SHOWN_NAME = 100;

interface BlobServices {
  readonly vault: BlobVault;
  readonly uploads: OpenUploads;
  readonly now: Clock;
}

async function readBatch(request: Request, onChunk: OnChunk): Promise<Map<string, Blob>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new Failure("unsupported_media_type", "Send the blobs as multipart/form-data");
  }
  const bytes = await readBytes(request, endpoints.postBlobs.maxBodyBytes, onChunk);
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData()
    .catch((cause) => {
      throw new Failure("invalid_request", "Cannot read the body as multipart/form-data", {
        cause,
      });
    });
  const parts = new Map<string, Blob>();
  for (const [name, value] of form) {
    if (!isSha256(name)) {
      throw new Failure(
        "invalid_request",
        `Part "${name.slice(0, MAX_SHOWN_NAME)}" must be named by its SHA-256`,
      );
    }
    if (typeof value === "string") {
      throw new Failure("invalid_request", `Part "${name}" must be a file`);
    }
    parts.set(name, value);
  }
  if (parts.size > MAX_BATCH_BLOBS) {
    throw new Failure("payload_too_large", `Send at most ${MAX_BATCH_BLOBS} blobs in one batch`);
  }
  return parts;
}

async function storeAll(blobs: BlobStore, parts: ReadonlyMap<string, Blob>): Promise<void> {
  const queue = [...parts];
  await Promise.all(Array.from({ length: PARALLEL_WRITES }, async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      await blobs.put(next[0], await next[1].bytes());
    }
  }));
}

/** Waits for work on a body. If the client disconnects, the request counts as invalid. */
async function untilCutOff<T>(request: Request, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Deno.errors.BadResource) && !request.signal.aborted) throw cause;
    throw new Failure("invalid_request", "The upload was interrupted", { cause });
  }
}

export function bindBlobRoutes(router: Router, services: BlobServices): void {
  const { vault } = services;

  router.guarded(endpoints.putBlob, async (caller, { params, query, request }) => {
    const onChunk = await startHeartbeat(services, caller.workspace.id, query.deployment);
    const content = request.body ?? new Blob([]).stream();
    const watched = watchStream(content, onChunk);
    const { maxBodyBytes: maxBytes } = endpoints.putBlob;
    const blobs = vault.of(caller.workspace.id);
    await untilCutOff(request, blobs.putStream(params.sha256, watched, { maxBytes }));
    return { stored: [params.sha256] };
  });

  router.guarded(endpoints.postBlobs, async (caller, { query, request }) => {
    const onChunk = await startHeartbeat(services, caller.workspace.id, query.deployment);
    const parts = await untilCutOff(request, readBatch(request, onChunk));
    await storeAll(vault.of(caller.workspace.id), parts);
    return { stored: [...parts.keys()] };
  });
}

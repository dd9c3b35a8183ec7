/**
 * Uploads in parts. Each part is stored on arrival. Completing an upload concatenates the parts
 * into one blob, so every object is read the same way.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { MAX_OBJECT_BYTES } from "../../contract/blob_store.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import {
  type BlobStore,
  commitWithRetries,
  countBelow,
  type Page,
  Table,
} from "../core/store/mod.ts";
import type { Lease, RecordStore } from "../../store/mod.ts";
import { isObjectKey, KEEP_UPLOAD_MS, MAX_PARTS, MAX_UPLOADS, MIN_PART_BYTES } from "./limits.ts";
import {
  type BlobPlace,
  type Described,
  type ObjectRecord,
  type PartRecord,
  parts,
  type UploadRecord,
  uploads,
} from "./object_record.ts";
import type { Content, ObjectStore, StoredContent, WriteCondition } from "./object_store.ts";
import { BlobStoreError } from "./store_error.ts";

/** Maximum length of an ID that is looked up, in characters. */
const MAX_ID = 64;

/** A part, as listed by the client to complete an upload. */
export interface NamedPart {
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
}

/**
 * Ignores errors, because the request itself has succeeded, and the sweep removes parts that have
 * no upload.
 */
const leaveToSweep = () => {};

/** Returns the ETag of an object that was uploaded in parts. */
function etagOf(named: readonly Pick<NamedPart, "etag">[]): string {
  const md5 = createHash("md5");
  for (const { etag } of named) md5.update(Buffer.from(etag, "hex"));
  return `${md5.digest("hex")}-${named.length}`;
}

const noSuchUpload = () =>
  new BlobStoreError(
    "NoSuchUpload",
    "The upload does not exist: it was completed or aborted, or has expired. Start a new one",
  );

export class UploadStore extends Table<UploadRecord, readonly [string, string, string]> {
  readonly #parts: Table<PartRecord, readonly [string, string, string, number]>;

  readonly #options: {
    readonly objects: ObjectStore;
    readonly now: Clock;
    readonly random: Random;
  };

  constructor(
    kv: RecordStore,
    options: { readonly objects: ObjectStore; readonly now: Clock; readonly random: Random },
  ) {
    super(kv, uploads);
    this.#parts = new Table(kv, parts);
    this.#options = options;
  }

  async start(place: BlobPlace, key: string, described: Described): Promise<UploadRecord> {
    const { objects, now, random } = this.#options;
    objects.requireKey(key);
    const { workspaceId, projectId, environment } = place;
    const prefix = [...uploads.root, projectId, environment];
    if (await countBelow(this.kv, prefix, MAX_UPLOADS) === MAX_UPLOADS) {
      throw new BlobStoreError(
        "SlowDown",
        `Complete or abort some of the ${MAX_UPLOADS} open uploads`,
      );
    }
    const { contentType, fields, metadata } = described;
    const upload: UploadRecord = {
      ...{ workspaceId, projectId, environment, key, contentType, fields, metadata },
      id: uuidV7(now, random),
      startedAt: now(),
    };
    await this.add(upload);
    return upload;
  }

  /** @throws {BlobStoreError} `NoSuchUpload` */
  async get(place: BlobPlace, key: string, id: string): Promise<UploadRecord> {
    const found = id.length > MAX_ID
      ? undefined
      : await this.find(place.projectId, place.environment, id);
    if (found?.key !== key) throw noSuchUpload();
    return found;
  }

  async addPart(
    upload: UploadRecord,
    number: number,
    { content, maxBytes }: { readonly content: Content; readonly maxBytes?: number },
  ): Promise<PartRecord> {
    const { objects, now } = this.#options;
    const { workspaceId, projectId, environment, id: uploadId } = upload;
    const before = () => this.#parts.find(projectId, environment, uploadId, number);
    return await objects.storeContent(upload, content, async (stored) => {
      const { sha256, size, etag, checksums } = stored;
      const part: PartRecord = {
        ...{ workspaceId, projectId, environment, uploadId, number },
        ...{ sha256, size, etag, checksums, modifiedAt: now() },
      };
      const owner = uploads.keyOf(upload);
      return await commitWithRetries(this.kv, [parts.keyOf(part)], async (operation) => {
        const open = await this.kv.get(owner);
        if (open.versionstamp === null) throw noSuchUpload();
        const before = await this.#parts.read(projectId, environment, uploadId, number);
        const versionstamp = before?.versionstamp ?? null;
        operation.check(open, { key: parts.keyOf(part), versionstamp });
        parts.set(operation, part);
        objects.usage.note(operation, upload, {
          bytes_added: size,
          bytes_removed: before?.value.size ?? 0,
        });
        return part;
      }, { checked: [owner] });
    }, { maxBytes, before });
  }

  /** Returns the parts of an upload, sorted by number. */
  async partsOf({ projectId, environment, id }: UploadRecord): Promise<readonly PartRecord[]> {
    return await this.#parts.collect(projectId, environment, id);
  }

  /** Creates the object from the parts. */
  async complete(
    upload: UploadRecord,
    named: readonly NamedPart[],
    condition: WriteCondition,
  ): Promise<ObjectRecord> {
    const { objects } = this.#options;
    const chosen = choose(await this.partsOf(upload), named);
    const stored = await this.#join(upload, chosen);
    const owner = uploads.keyOf(upload);
    const object = await objects.record(upload, upload.key, {
      stored,
      described: upload,
      condition,
      also: async (operation) => {
        const open = await this.kv.get(owner);
        if (open.versionstamp === null) throw noSuchUpload();
        operation.check(open);
        uploads.drop(operation, upload);
      },
    });
    await this.#removeParts(upload).catch(leaveToSweep);
    return object;
  }

  /**
   * Returns the object that a completed upload created, because clients repeat a request that got
   * no response.
   */
  async completed(
    { projectId, environment }: BlobPlace,
    key: string,
    named: readonly NamedPart[],
  ): Promise<ObjectRecord> {
    const found = isObjectKey(key)
      ? await this.#options.objects.find(projectId, environment, key)
      : undefined;
    if (found?.etag !== etagOf(named)) throw noSuchUpload();
    return found;
  }

  async abort(upload: UploadRecord): Promise<void> {
    const { projectId, environment, id } = upload;
    if (await this.remove([projectId, environment, id]) === undefined) throw noSuchUpload();
    await this.#removeParts(upload).catch(leaveToSweep);
  }

  /** Returns one page of the open uploads with a key prefix, newest first. */
  async listOpen(
    { projectId, environment }: BlobPlace,
    { prefix, limit, cursor }: {
      readonly prefix: string;
      readonly limit: number;
      readonly cursor?: string | undefined;
    },
  ): Promise<Page<UploadRecord>> {
    const all = (await this.collect(projectId, environment))
      .filter(({ key, id }) => key.startsWith(prefix) && (cursor === undefined || id < cursor))
      .toReversed();
    const items = all.slice(0, limit);
    return { items, nextCursor: limit > 0 && all.length > limit ? items.at(-1)!.id : null };
  }

  /** Removes abandoned uploads, and parts whose upload has been removed. */
  async sweep(signal: AbortSignal, lease: Lease): Promise<number> {
    const limit = this.#options.now() - KEEP_UPLOAD_MS;
    const active = new Set<string>();
    const orphans = new Map<string, PartRecord>();
    for await (const part of this.#parts.all()) {
      if (part.modifiedAt >= limit) active.add(part.uploadId);
      orphans.set(part.uploadId, part);
    }
    let count = 0;
    for await (const upload of this.all()) {
      if (signal.aborted) return count;
      orphans.delete(upload.id);
      if (upload.startedAt >= limit || active.has(upload.id)) continue;
      await this.remove([upload.projectId, upload.environment, upload.id], { lease });
      await this.#removeParts(upload);
      count++;
    }
    for (const { uploadId: id, ...place } of orphans.values()) {
      if (signal.aborted || await this.find(place.projectId, place.environment, id)) continue;
      await this.#removeParts({ ...place, id });
    }
    return count;
  }

  async #removeParts(
    { projectId, environment, id }: Pick<UploadRecord, "projectId" | "environment" | "id">,
  ): Promise<void> {
    const { usage } = this.#options.objects;
    for await (const { number } of this.#parts.all(projectId, environment, id)) {
      await this.#parts.remove([projectId, environment, id, number], {
        also: (operation, removed) =>
          usage.note(operation, removed, { bytes_removed: removed.size }),
      });
    }
  }

  /** Concatenates parts into one blob. */
  async #join(upload: UploadRecord, chosen: readonly PartRecord[]): Promise<StoredContent> {
    const blobs = this.#options.objects.blobsOf(upload);
    const etag = etagOf(chosen);
    const [first] = chosen;
    if (chosen.length === 1 && await blobs.verify(first!.sha256) !== undefined) {
      return { sha256: first!.sha256, size: first!.size, etag, checksums: {} };
    }
    const content = ReadableStream.from(readParts(blobs, chosen));
    return { ...await blobs.add(content, { maxBytes: MAX_OBJECT_BYTES }), etag, checksums: {} };
  }
}

async function* readParts(
  blobs: BlobStore,
  chosen: readonly PartRecord[],
): AsyncGenerator<Uint8Array> {
  for (const { sha256, number } of chosen) {
    const hash = createHash("sha256");
    for await (const chunk of await blobs.stream(sha256)) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest("hex") === sha256) continue;
    await blobs.reportDamage(sha256);
    throw new BlobStoreError("InternalError", `Part ${number} is damaged. Upload it again`);
  }
}

/** Returns the parts that a client lists, which must exist as stated. */
function choose(
  stored: readonly PartRecord[],
  named: readonly NamedPart[],
): readonly PartRecord[] {
  if (named.length === 0 || named.length > MAX_PARTS) {
    throw new BlobStoreError("MalformedXML", `List 1 to ${MAX_PARTS} parts`);
  }
  if (named.some(({ number }, index) => index > 0 && number <= named[index - 1]!.number)) {
    throw new BlobStoreError(
      "InvalidPartOrder",
      "List the parts in ascending order of their numbers",
    );
  }
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  let size = 0;
  return named.map(({ number, etag }, index) => {
    const part = byNumber.get(number);
    if (part?.etag !== etag) {
      throw new BlobStoreError("InvalidPart", `Part ${number} is missing or has a different ETag`);
    }
    if (part.size < MIN_PART_BYTES && index < named.length - 1) {
      throw new BlobStoreError("EntityTooSmall", `Part ${number} must have at least 5 MiB`);
    }
    size += part.size;
    if (size > MAX_OBJECT_BYTES) {
      throw new BlobStoreError("EntityTooLarge", `Upload at most ${MAX_OBJECT_BYTES} bytes`);
    }
    return part;
  });
}

/**
 * The objects of blob stores: bytes in the vault, metadata in records. The bytes are stored first,
 * and then the record. An object is acknowledged once both would survive a crash.
 *
 * @module
 */
import { MAX_KEY_BYTES, MAX_OBJECT_BYTES } from "../../contract/blob_store.ts";
import { BUILT_IN_ENVIRONMENTS } from "../../contract/environment_names.ts";
import { BlobStreams } from "../../edge/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  type BlobStore,
  BlobTooLargeError,
  type BlobVault,
  type ByteRange,
  commitWithRetries,
  keys,
  Table,
  type Versioned,
} from "../core/store/mod.ts";
import type { Operation, RecordStore } from "../../store/mod.ts";
import { BlobUsage } from "./blob_usage.ts";
import { type Algorithm, Checksums, hexOf } from "./checksums.ts";
import { counted, type Counter, verified } from "./content_streams.ts";
import { isObjectKey } from "./limits.ts";
import { listObjects, type ObjectPage, type ObjectSelection } from "./list_objects.ts";
import { type BlobPlace, type Described, type ObjectRecord, objects } from "./object_record.ts";
import { BlobStoreError } from "./store_error.ts";

/**
 * Maximum size of objects that are completely read and verified before the first byte is sent, in
 * bytes.
 */
const READ_WHOLE = 64 * 1024;
/** Maximum size of objects that are read completely even if only a range is requested, in bytes. */
const READ_WHOLE_FOR_RANGE = 1024 * 1024;

interface ObjectStoreOptions {
  readonly kv: RecordStore;
  readonly vault: Pick<BlobVault, "of">;
  /** Maximum total size of a project's stores, in bytes. */
  readonly quota: number;
  readonly now: Clock;
}

/** The content of a request. */
export interface Content {
  readonly stream: ReadableStream<Uint8Array>;
  /** Size in bytes, if the client stated it. */
  readonly size: number | undefined;
  /** Algorithms of the client's checksums. */
  readonly algorithms: readonly Algorithm[];
  /** Returns the client's digests in base64, which are known once the stream has ended. */
  expected(): ReadonlyMap<Algorithm, string>;
}

/** A condition that the existing object must meet for a write; `*` matches any object. */
export interface WriteCondition {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/**
 * Finds the object that an upload replaces, so only the difference in size counts against the
 * quota.
 */
type Replaced = () => Promise<{ readonly size: number } | undefined>;

/** Content that is stored in the vault. */
export type StoredContent = Pick<ObjectRecord, "sha256" | "size" | "etag" | "checksums">;

/** Returns whether a list of entity tags, or `*`, matches an object's entity tag. */
export function hasTag(list: string, etag: string): boolean {
  return list.split(",").map((each) => each.trim().replace(/^W\//, "").replaceAll('"', ""))
    .some((each) => each === "*" || each === etag);
}

function refuseUnmet(found: ObjectRecord | undefined, condition: WriteCondition): void {
  const { ifMatch, ifNoneMatch } = condition;
  const isMet = (ifMatch === undefined || found !== undefined && hasTag(ifMatch, found.etag)) &&
    (ifNoneMatch === undefined || found === undefined || !hasTag(ifNoneMatch, found.etag));
  if (isMet) return;
  if (ifMatch !== undefined && found === undefined) throw noSuchKey();
  throw new BlobStoreError("PreconditionFailed", "The object does not meet the condition");
}

const noSuchKey = () => new BlobStoreError("NoSuchKey", "The key does not exist");

export class ObjectStore extends Table<ObjectRecord, readonly [string, string, string]> {
  readonly usage: BlobUsage;

  readonly #options: ObjectStoreOptions;
  readonly #streams = new BlobStreams();

  constructor(options: ObjectStoreOptions) {
    super(options.kv, objects);
    this.#options = options;
    this.usage = new BlobUsage(options.kv);
  }

  /** Maximum total size of a project's stores, in bytes. */
  get quota(): number {
    return this.#options.quota;
  }

  blobsOf({ workspaceId }: Pick<BlobPlace, "workspaceId">): BlobStore {
    return this.#options.vault.of(workspaceId);
  }

  /** @throws {BlobStoreError} `NoSuchKey` */
  async get({ projectId, environment }: BlobPlace, key: string): Promise<ObjectRecord> {
    const found = isObjectKey(key) ? await this.find(projectId, environment, key) : undefined;
    if (found === undefined) throw noSuchKey();
    return found;
  }

  /** Stores an object under a key. */
  async put(
    place: BlobPlace,
    key: string,
    { content, described, condition = {}, maxBytes }: {
      readonly content: Content;
      readonly described: Described;
      readonly condition?: WriteCondition;
      readonly maxBytes?: number | undefined;
    },
  ): Promise<ObjectRecord> {
    this.requireKey(key);
    // Checked before the upload, and again by the commit.
    const before = () => this.find(place.projectId, place.environment, key);
    refuseUnmet(await before(), condition);
    return await this.storeContent(
      place,
      content,
      (stored) => this.record(place, key, { stored, described, condition }),
      { maxBytes, before },
    );
  }

  /**
   * Stores bytes, and then their record. Until the record is stored, the bytes count as arriving.
   */
  async storeContent<T>(
    place: BlobPlace,
    content: Content,
    record: (stored: StoredContent) => Promise<T>,
    { maxBytes = MAX_OBJECT_BYTES, before }: {
      readonly maxBytes?: number | undefined;
      readonly before: Replaced;
    },
  ): Promise<T> {
    const { size = 0 } = content;
    if (size > maxBytes) throw tooLarge(maxBytes);
    return await this.#whileArriving(place, { size, before }, async (count) => {
      const stream = content.size === undefined ? counted(content.stream, count) : content.stream;
      const stored = await this.#add(place, { ...content, stream }, maxBytes);
      await this.#requireStillRoom(place, stored, before);
      return await record(stored);
    });
  }

  /** @throws {BlobStoreError} `QuotaExceeded` if a project would have too many bytes. */
  async #requireQuota(bytes: number, before: Replaced): Promise<void> {
    const over = bytes - this.quota;
    if (over > 0 && over > ((await before())?.size ?? 0)) throw this.#full();
  }

  /** Checks the quota again, because uploads to other nodes may have used it up in the meantime. */
  async #requireStillRoom(
    { projectId }: BlobPlace,
    { size }: Pick<StoredContent, "size">,
    before: Replaced,
  ): Promise<void> {
    await this.#requireQuota(await this.usage.recordedOf(projectId) + size, before);
  }

  /** Runs `work` while its bytes count as arriving, if the project has space for them. */
  async #whileArriving<T>(
    { projectId }: BlobPlace,
    { size, before }: {
      readonly size: number;
      readonly before: Replaced;
    },
    work: (count: Counter) => Promise<T>,
  ): Promise<T> {
    return await this.usage.whileArriving(projectId, size, async (add) => {
      const requireRoom = async () =>
        await this.#requireQuota(await this.usage.bytesOf(projectId), before);
      await requireRoom();
      return await work({ add, requireRoom });
    });
  }

  /** Commits the record of an object whose bytes have been stored. */
  async record(
    place: BlobPlace,
    key: string,
    { stored, described, condition = {}, also }: {
      readonly stored: StoredContent;
      readonly described: Described;
      readonly condition?: WriteCondition;
      /** Adds more changes to the commit. */
      also?(operation: Operation): void | Promise<void>;
    },
  ): Promise<ObjectRecord> {
    this.requireKey(key);
    const { workspaceId, projectId, environment } = place;
    const { contentType, fields, metadata } = described;
    const { sha256, size, etag, checksums } = stored;
    const object: ObjectRecord = {
      ...{ workspaceId, projectId, environment, key, sha256, size, etag, checksums },
      ...{ contentType, fields, metadata, modifiedAt: this.#options.now() },
    };
    const owners = [
      keys.project(workspaceId, projectId),
      ...(BUILT_IN_ENVIRONMENTS.includes(environment)
        ? []
        : [keys.environmentByName(projectId, environment)]),
    ];
    return await commitWithRetries(this.kv, [objects.keyOf(object)], async (operation) => {
      // A slow upload must not create an object in a deleted store.
      for (const owner of owners) {
        const { versionstamp } = await this.kv.get(owner);
        if (versionstamp === null) {
          throw new BlobStoreError("NoSuchBucket", "The project or the environment was deleted");
        }
        operation.check({ key: owner, versionstamp });
      }
      const before = await this.read(projectId, environment, key);
      refuseUnmet(before?.value, condition);
      this.#replace(operation, before, object);
      await also?.(operation);
      return object;
    }, { checked: owners });
  }

  /** Removes an object. Succeeds even if the object does not exist. */
  async delete({ projectId, environment }: BlobPlace, key: string): Promise<void> {
    if (!isObjectKey(key)) return;
    await this.remove([projectId, environment, key], {
      also: (operation, removed) =>
        this.usage.note(operation, removed, { bytes_removed: removed.size, objects_removed: 1 }),
    });
  }

  /** Copies an object within the project. Both objects share the bytes. */
  async copy(
    source: ObjectRecord,
    place: BlobPlace,
    key: string,
    { described = source, condition = {} }: {
      readonly described?: Described | undefined;
      readonly condition?: WriteCondition | undefined;
    } = {},
  ): Promise<ObjectRecord> {
    this.requireKey(key);
    const before = () => this.find(place.projectId, place.environment, key);
    refuseUnmet(await before(), condition);
    return await this.#whileArriving(place, { size: source.size, before }, async () => {
      await this.requireSound(source);
      await this.#requireStillRoom(place, source, before);
      return await this.record(place, key, { stored: source, described, condition });
    });
  }

  /**
   * Looks up the bytes of an object, and protects them from sweeps.
   *
   * @throws {BlobStoreError} if the bytes are damaged.
   */
  async requireSound(object: Pick<ObjectRecord, "workspaceId" | "sha256">): Promise<void> {
    if (await this.blobsOf(object).verify(object.sha256) === undefined) throw damaged(object);
  }

  async listObjects(place: BlobPlace, selection: ObjectSelection): Promise<ObjectPage> {
    return await listObjects(this.kv, place, selection);
  }

  /** Returns the bytes of an object. If the object is damaged, the stream ends with an error. */
  async open(
    object: Pick<ObjectRecord, "workspaceId" | "sha256" | "size">,
    range?: ByteRange,
  ): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
    const { sha256, size } = object;
    const blobs = this.blobsOf(object);
    if (size <= (range === undefined ? READ_WHOLE : READ_WHOLE_FOR_RANGE)) {
      const bytes = await blobs.read(sha256);
      return range === undefined ? bytes : bytes.slice(range.start, range.end + 1);
    }
    if (range !== undefined) return await blobs.stream(sha256, range);
    return await this.#streams.whole({ sha256, size }, blobs);
  }

  /** @throws {BlobStoreError} if the string is not a valid key. */
  requireKey(key: string): void {
    if (isObjectKey(key)) return;
    if (new TextEncoder().encode(key).byteLength > MAX_KEY_BYTES) {
      throw new BlobStoreError("KeyTooLongError", `Use a key of at most ${MAX_KEY_BYTES} bytes`);
    }
    throw new BlobStoreError(
      "InvalidArgument",
      "The key is empty, is not well-formed text, or has a segment . or ..",
    );
  }

  #replace(
    operation: Operation,
    before: Versioned<ObjectRecord> | undefined,
    object: ObjectRecord,
  ): void {
    this.usage.note(operation, object, {
      bytes_added: object.size,
      objects_added: before === undefined ? 1 : 0,
      bytes_removed: before?.value.size ?? 0,
    });
    if (before === undefined) {
      objects.insert(operation.check({ key: objects.keyOf(object), versionstamp: null }), object);
    } else objects.replace(operation, before, object);
  }

  async #add(place: BlobPlace, content: Content, maxBytes: number): Promise<StoredContent> {
    const { stream, size: announced, algorithms } = content;
    const sums = new Checksums(algorithms);
    let [size, digests] = [0, new Map() as ReadonlyMap<Algorithm, string>];
    const checked = verified(stream, {
      update(chunk) {
        sums.update(chunk);
        size += chunk.byteLength;
        // A client must not send more than it announced when the quota was checked.
        if (announced !== undefined && size > announced) throw notAnnounced(announced, size);
      },
      end() {
        digests = sums.digests();
        refuseOther(content, { size, announced, digests });
      },
    });
    const added = await this.blobsOf(place).add(checked, { maxBytes }).catch((error) => {
      throw error instanceof BlobTooLargeError ? tooLarge(maxBytes) : error;
    });
    const named = algorithms.filter((name) => name !== "md5");
    return {
      ...added,
      etag: hexOf(digests.get("md5")!),
      checksums: Object.fromEntries(named.map((name) => [name, digests.get(name)!])),
    };
  }

  #full(): BlobStoreError {
    const { quota } = this.#options;
    return new BlobStoreError(
      "QuotaExceeded",
      `This project's blob stores can contain at most ${quota} bytes. Delete some objects`,
    );
  }
}

const tooLarge = (maxBytes: number) =>
  new BlobStoreError("EntityTooLarge", `Upload at most ${maxBytes} bytes`);

const damaged = ({ sha256 }: Pick<ObjectRecord, "sha256">) =>
  new BlobStoreError(
    "InternalError",
    `The object's content, ${sha256}, is damaged. Upload it again`,
  );

const notAnnounced = (announced: number, size: number) =>
  new BlobStoreError("IncompleteBody", `Expected ${announced} bytes, received ${size}`);

/** @throws {BlobStoreError} if the content differs from what the client stated. */
export function refuseOther(
  content: Pick<Content, "expected">,
  { size, announced, digests }: {
    readonly size: number;
    readonly announced: number | undefined;
    readonly digests: ReadonlyMap<Algorithm, string>;
  },
): void {
  if (announced !== undefined && size !== announced) {
    throw notAnnounced(announced, size);
  }
  for (const [name, digest] of content.expected()) {
    if (digests.get(name) === digest) continue;
    throw new BlobStoreError(
      "BadDigest",
      `The ${name.toUpperCase()} of the received content does not match the one sent`,
    );
  }
}

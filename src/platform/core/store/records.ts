/** Records in Deno KV. Each record is parsed whenever it is read, to detect damage. @module */
import type * as z from "zod";
import { Contention, whenUnlocked } from "../../../lib/contention.ts";
import { KeyedLock } from "../../../lib/keyed_lock.ts";
import { DamagedRecordError } from "./damaged_record.ts";
import { StoreBusyError } from "./store_busy.ts";
import type {
  Lease,
  LeasedOperation,
  LeasedStore,
  Operation,
  RecordKey,
  RecordReader,
  RecordStore,
} from "../../../store/mod.ts";

export interface Versioned<T> {
  readonly value: T;
  readonly versionstamp: string;
}

/** Thrown if a record kept changing while it was being updated. */
export class ContentionError extends Error {
  override readonly name = "ContentionError";
}

/**
 * Parses a stored record. Returns `undefined` for a malformed record without a checksum, which is
 * set aside.
 *
 * @throws {DamagedRecordError} if a malformed record has the correct checksum, because then another
 * version of svc wrote it.
 */
async function parse<T>(
  kv: RecordReader,
  schema: z.ZodType<T>,
  { key, value }: { readonly key: RecordKey; readonly value: unknown },
): Promise<{ readonly value: T } | undefined> {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const error = new DamagedRecordError(key, result.error);
  if (await kv.setUncheckedAside(key, error)) return undefined;
  throw error;
}

export async function readRecord<T>(
  kv: RecordReader,
  key: RecordKey,
  schema: z.ZodType<T>,
): Promise<Versioned<T> | undefined> {
  const entry = await kv.get(key);
  if (entry.versionstamp === null) return undefined;
  const parsed = await parse(kv, schema, entry);
  return parsed && { value: parsed.value, versionstamp: entry.versionstamp };
}

/** Reads every record under a prefix, in key order. */
export async function* readAll<T>(
  kv: RecordReader,
  prefix: RecordKey,
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly key: RecordKey; readonly value: T }> {
  for await (const entry of kv.list({ prefix }, { batchSize: 500 })) {
    const parsed = await parse(kv, schema, entry);
    if (parsed !== undefined) yield { key: entry.key, value: parsed.value };
  }
}

/** Maximum number of records to read for a page of a filtered list. */
const MAX_SCANNED = 2000;

export interface PageRange {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

export interface PageOptions<T> extends PageRange {
  readonly schema: z.ZodType<T>;
  /**
   * Returns whether the list includes a record. By default, it includes all records. Filtered pages
   * may be short.
   */
  readonly shows?: ((record: T) => boolean) | undefined;
}

/**
 * Reads a page, newest first, because keys end in time-ordered IDs. The cursor is the last ID read.
 */
export async function readPage<T>(
  kv: RecordReader,
  prefix: RecordKey,
  { schema, limit, cursor, shows }: PageOptions<T>,
): Promise<Page<T>> {
  const selector = cursor === undefined ? { prefix } : { prefix, end: [...prefix, cursor] };
  const most = shows === undefined ? limit : MAX_SCANNED;
  const items: T[] = [];
  let lastId = "";
  let read = 0;
  for await (const { key, value } of kv.list(selector, { limit: most + 1, reverse: true })) {
    if (items.length === limit || read++ === most) return { items, nextCursor: lastId };
    const parsed = await parse(kv, schema, { key, value });
    if (parsed !== undefined && shows?.(parsed.value) !== false) items.push(parsed.value);
    lastId = String(key.at(-1));
  }
  return { items, nextCursor: null };
}

/**
 * Returns a page of records that have already been read, newest first. The records' IDs are in time
 * order.
 */
export function pageOf<T extends { readonly id: string }>(
  records: readonly T[],
  { limit, cursor }: PageRange,
): Page<T> {
  const rest = records.filter(({ id }) => cursor === undefined || id < cursor)
    .sort((one, other) => one.id < other.id ? 1 : -1);
  const items = rest.slice(0, limit);
  return { items, nextCursor: rest.length > limit ? items.at(-1)!.id : null };
}

/**
 * Maximum number of attempts, with growing pauses. After that, an update gives up, because other
 * processes keep changing the record.
 */
const MAX_ATTEMPTS = 20;

/** Maximum number of queued changes to a record. */
const MAX_WAITING = 1000;

export interface Committed<T> {
  readonly result: T;
  /** The commit's version. Later commits have greater versions. */
  readonly versionstamp: string;
}

interface CommitOptions {
  /**
   * Records that are checked but not changed. Commits that only check the same record run
   * concurrently.
   */
  readonly checked?: readonly RecordKey[];
  readonly lease?: Lease | undefined;
}

/** The queues of each open store. Changes to a record within this process run one at a time. */
const queues = new WeakMap<object, KeyedLock>();

function queueOf(kv: object): KeyedLock {
  const known = queues.get(kv);
  if (known !== undefined) return known;
  const queue = new KeyedLock();
  queues.set(kv, queue);
  return queue;
}

/**
 * Retries a check-and-set until it commits. `attempt` reads what it needs, adds its checks and
 * changes to an empty operation, and returns the result.
 *
 * Changes to the same record within this process run one at a time, in the order of the calls, so
 * these changes do not race. The checks guard against other processes. `attempt` must not call this
 * function for the same record, or it would wait for itself.
 *
 * @param contended The records that the commit changes and checks, as far as they are known; empty
 * if nothing else changes them.
 * @throws {ContentionError} after losing 20 races against other processes.
 * @throws {StoreBusyError} if 1,000 changes to a record are already waiting.
 */
export async function commitVersioned<T>(
  kv: RecordStore,
  contended: readonly RecordKey[],
  attempt: (operation: Operation) => Promise<T>,
  { checked = [], lease }: CommitOptions = {},
): Promise<Committed<T>> {
  const queue = queueOf(kv);
  const names = contended.map((key) => JSON.stringify(key));
  const shared = checked.map((key) => JSON.stringify(key));
  if (queue.longest([...names, ...shared]) >= MAX_WAITING) {
    throw new StoreBusyError("to the same record are waiting");
  }
  return await queue.runAll(names, async () => {
    const contention = new Contention();
    for (let count = 1; count <= MAX_ATTEMPTS; count++) {
      const operation = kv.atomic();
      const result = await attempt(operation);
      const commit = await whenUnlocked(() => operation.commit(lease));
      if (commit.ok) return { result, versionstamp: commit.versionstamp };
      await contention.wait();
    }
    throw new ContentionError(
      `Cannot save: the records changed ${MAX_ATTEMPTS} times during the request`,
    );
  }, shared);
}

/** Like {@link commitVersioned}, but does not return the version. */
export async function commitWithRetries<T>(
  kv: RecordStore,
  contended: readonly RecordKey[],
  attempt: (operation: Operation) => Promise<T>,
  options?: CommitOptions,
): Promise<T>;
export async function commitWithRetries<T>(
  kv: LeasedStore,
  contended: readonly RecordKey[],
  attempt: (operation: LeasedOperation) => Promise<T>,
  options: CommitOptions & { readonly lease: Lease },
): Promise<T>;
export async function commitWithRetries<T>(
  kv: RecordStore | LeasedStore,
  contended: readonly RecordKey[],
  attempt: (operation: Operation) => Promise<T>,
  options?: CommitOptions,
): Promise<T> {
  return (await commitVersioned(kv as RecordStore, contended, attempt, options)).result;
}

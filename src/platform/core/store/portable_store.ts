/**
 * A store whose values every runtime can read, and the check that an older runtime makes before it
 * opens a store with values in a newer runtime's native format.
 *
 * @module
 */
import { deserialize } from "node:v8";
import {
  type Changes,
  type Entry,
  type Listing,
  type ListOptions,
  type ListSelector,
  type MaybeEntry,
  type Mutation,
  type Outcome,
  type RecordKey,
  type RecordStore,
  StoreLayer,
} from "../../../store/mod.ts";
import { DamagedRecordError } from "./damaged_record.ts";
import { keys } from "./keys.ts";
import { checksumOf, decodeValue, encodeValue } from "./portable_values.ts";
import { describeDamage, setAside } from "./set_aside.ts";

/** Thrown if the store contains values that this program's runtime is too old to read. */
export class NewerValuesError extends Error {
  override readonly name = "NewerValuesError";

  constructor(options: ErrorOptions) {
    super(
      `it has values written by svc on a newer Deno, which this version (Deno ${Deno.version.deno}) cannot read. Nothing was changed. Use the svc version that wrote it, or restore a backup from this version`,
      options,
    );
  }
}

/** Key of the marker for a store whose values every runtime can read. */
const MARK = keys.meta("portable_values");

const isMark = (key: RecordKey): boolean => key.join() === MARK.join();

/** Null, in the format that newer versions of V8 store natively. */
const NEWER_NULL = new Uint8Array([0xff, 0x10, 0x30]);

/** Returns whether this runtime may have written values that an older runtime cannot read. */
function readsNewerFormat(): boolean {
  try {
    return deserialize(NEWER_NULL) === null;
  } catch {
    return false;
  }
}

/** Returns whether a store contains nothing but the platform's own marker. */
export async function isStoreEmpty(kv: RecordStore): Promise<boolean> {
  for await (const { key } of kv.list({ prefix: [] }, { limit: 2 })) {
    if (!isMark(key)) return false;
  }
  return true;
}

async function isMarkedPortable(kv: RecordStore): Promise<boolean> {
  return (await kv.get(MARK)).versionstamp !== null;
}

/**
 * Returns whether to mark the store as readable by every runtime.
 *
 * @throws {NewerValuesError} if a value is unreadable.
 */
export async function checkReadable(kv: RecordStore): Promise<boolean> {
  if (await isMarkedPortable(kv)) return false;
  try {
    if (await isStoreEmpty(kv)) return true;
    for await (const _ of kv.list({ prefix: [] }, { batchSize: 500 })) {
      /* reading is the check */
    }
    return !readsNewerFormat();
  } catch (cause) {
    if (cause instanceof RangeError) throw new NewerValuesError({ cause });
    throw cause;
  }
}

/**
 * Marks a store if `checkReadable()` requires it. The marker consists of bytes, which every runtime
 * can read.
 */
export async function markPortable(kv: RecordStore): Promise<void> {
  await kv.set(MARK, new Uint8Array([1]));
}

export interface DamageOptions {
  /** Called for each damaged record that was set aside. If missing, reading such a record fails. */
  readonly onDamaged?: (message: string) => void;
  /** Repairs records that made a listing fail. Returns the number of repaired records. */
  readonly mend?: () => Promise<number>;
}

/** Maximum number of times to reread a damaged record that keeps changing. */
const MAX_ATTEMPTS = 5;

/** Returns the selector that continues a listing after an entry. */
function restOf(selector: ListSelector, last: RecordKey, reverse: boolean): ListSelector {
  // No key lies between a key and the same key followed by empty bytes.
  if (!reverse) {
    const start = [...last, new Uint8Array()];
    return "end" in selector ? { start, end: selector.end } : { ...selector, start };
  }
  return "start" in selector
    ? { start: selector.start, end: last }
    : { prefix: selector.prefix, end: last };
}

/** Encodes values portably, and sets damaged records aside. */
export class PortableStore extends StoreLayer {
  readonly #options: DamageOptions;

  constructor(under: RecordStore, options: DamageOptions = {}) {
    super(under);
    this.#options = options;
  }

  override async get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>> {
    return await this.#decode(await this.under.get<T>(key));
  }

  override async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }> {
    const entries = await this.under.getMany<unknown[]>(keys);
    const decoded = await Promise.all(entries.map((entry) => this.#decode(entry)));
    return decoded as { [K in keyof T]: MaybeEntry<T[K]> };
  }

  /** Leaves out damaged records, and continues after the store has been repaired. */
  override async *list<T = unknown>(
    selector: ListSelector,
    options: ListOptions = {},
  ): Listing<T> {
    const { limit = Infinity, reverse = false } = options;
    let [rest, count] = [selector, 0];
    for (let attempt = 1;; attempt++) {
      try {
        for await (const found of this.under.list<T>(rest, { ...options, limit: limit - count })) {
          count++;
          rest = restOf(selector, found.key, reverse);
          const entry = await this.#decode(found);
          if (entry.versionstamp !== null) yield entry;
        }
        return;
      } catch (error) {
        if (error instanceof DamagedRecordError) throw error;
        if (attempt === MAX_ATTEMPTS || await this.#mend() === 0) throw error;
      }
    }
  }

  override async write({ checks, mutations }: Changes): Promise<Outcome> {
    const encoded = mutations.map((mutation): Mutation =>
      mutation.type === "set"
        ? { ...mutation, value: encodeValue(mutation.key, mutation.value) }
        : mutation
    );
    return await this.under.write({ checks, mutations: encoded });
  }

  /**
   * Sets aside a malformed record, unless its checksum proves that the record was stored that way.
   */
  override async setUncheckedAside(key: RecordKey, cause: unknown): Promise<boolean> {
    if (this.#options.onDamaged === undefined) return false;
    const entry = await this.under.get(key);
    if (entry.versionstamp === null) return true;
    if (checksumOf(key, entry.value) !== "none") return false;
    return await this.#setAside(entry, cause);
  }

  /**
   * Decodes an entry. A damaged record is set aside, and then has no value.
   *
   * @throws {DamagedRecordError} if damaged records are not set aside.
   */
  async #decode<T>(found: MaybeEntry<T>): Promise<MaybeEntry<T>> {
    let entry: MaybeEntry = found;
    for (let attempt = 1;; attempt++) {
      try {
        const value = decodeValue(entry.key, entry.value);
        return { ...entry, value } as MaybeEntry<T>;
      } catch (cause) {
        if (entry.versionstamp === null || attempt === MAX_ATTEMPTS) {
          throw new DamagedRecordError(entry.key, cause);
        }
        if (await this.#setAside(entry, cause)) {
          return { key: entry.key, value: null, versionstamp: null };
        }
        entry = await this.under.get(entry.key);
      }
    }
  }

  async #setAside(entry: Entry, cause: unknown): Promise<boolean> {
    const { onDamaged } = this.#options;
    if (onDamaged === undefined) throw new DamagedRecordError(entry.key, cause);
    if (await setAside(this.under, entry)) onDamaged(describeDamage(entry.key, cause));
    // A record with a damaged key cannot be looked up, so the file must be repaired.
    else if (await this.#mend() === 0) return false;
    return true;
  }

  /** Repairs records that cannot be listed. Returns the number of repaired records. */
  async #mend(): Promise<number> {
    return await this.#options.mend?.() ?? 0;
  }
}

/** The keys, entries and changes that every store accepts and returns. @module */

export type KeyPart = Uint8Array | string | number | bigint | boolean;

/**
 * Keys are sorted by their parts. Types sort in this order: bytes, strings, numbers, big integers,
 * booleans.
 */
export type RecordKey = readonly KeyPart[];

export interface Entry<T = unknown> {
  readonly key: RecordKey;
  readonly value: T;
  /**
   * The version of the commit that stored the entry. Later versions are greater when compared as
   * text.
   */
  readonly versionstamp: string;
}

interface NoEntry {
  readonly key: RecordKey;
  readonly value: null;
  readonly versionstamp: null;
}

export type MaybeEntry<T = unknown> = Entry<T> | NoEntry;

/** The version that a record must have; `null` if there must be no record. */
export interface Check {
  readonly key: RecordKey;
  readonly versionstamp: string | null;
}

export interface SetOptions {
  /** Milliseconds until the record expires. */
  readonly expireIn?: number | undefined;
}

export type Mutation =
  | { readonly type: "set"; readonly key: RecordKey; readonly value: unknown } & SetOptions
  | { readonly type: "delete"; readonly key: RecordKey }
  /** Adds to a counter, or raises it. Counters are read as `Deno.KvU64`. */
  | { readonly type: "sum" | "max"; readonly key: RecordKey; readonly value: bigint };

/** The checks and changes of one commit, which is applied completely or not at all. */
export interface Changes {
  readonly checks: readonly Check[];
  readonly mutations: readonly Mutation[];
}

/** A commit under construction. */
export interface Draft extends Changes {
  check(...checks: readonly Check[]): this;
  set(key: RecordKey, value: unknown, options?: SetOptions): this;
  delete(key: RecordKey): this;
}

export interface Stored {
  readonly ok: true;
  readonly versionstamp: string;
}

/** The outcome of a commit. `ok` is false if a check failed. */
export type Outcome = Stored | { readonly ok: false };

export type ListSelector =
  | { readonly prefix: RecordKey }
  | { readonly prefix: RecordKey; readonly start: RecordKey }
  | { readonly prefix: RecordKey; readonly end: RecordKey }
  | { readonly start: RecordKey; readonly end: RecordKey };

export interface ListOptions {
  readonly limit?: number | undefined;
  readonly reverse?: boolean;
  /** Number of entries that are read at a time. */
  readonly batchSize?: number;
}

/** The entries in a listing. Concurrent calls to `next()` wait for each other. */
export type Listing<T> = AsyncIterableIterator<Entry<T>, undefined>;

/** The read operations of a store. */
export interface RecordReader {
  get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>>;

  /**
   * Reads the entries for several keys from one snapshot. The results are in the order of `keys`.
   */
  getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }>;

  list<T = unknown>(selector: ListSelector, options?: ListOptions): Listing<T>;

  /**
   * Sets a malformed record aside unless the record's checksum proves that it is intact. Returns
   * false if the record stays in place.
   */
  setUncheckedAside(key: RecordKey, cause: unknown): Promise<boolean>;
}

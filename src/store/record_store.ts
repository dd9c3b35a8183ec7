/**
 * What the platform asks of a key-value store: entries by keys in order, and commits of checks
 * and changes. Deno KV and PostgreSQL implement it, and so does each layer above them.
 *
 * @module
 */
import type { Lease } from "./lease.ts";

export type KeyPart = Uint8Array | string | number | bigint | boolean;

/** Keys are in the order of their parts: bytes, strings, numbers, big integers, booleans. */
export type RecordKey = readonly KeyPart[];

export interface Entry<T = unknown> {
  readonly key: RecordKey;
  readonly value: T;
  /** The version of the commit that stored it: a later one has the greater text. */
  readonly versionstamp: string;
}

export interface NoEntry {
  readonly key: RecordKey;
  readonly value: null;
  readonly versionstamp: null;
}

export type MaybeEntry<T = unknown> = Entry<T> | NoEntry;

/** The version that a record must have; `null` where there must be none. */
export interface Check {
  readonly key: RecordKey;
  readonly versionstamp: string | null;
}

export interface SetOptions {
  /** Milliseconds until the record is gone. */
  readonly expireIn?: number | undefined;
}

export type Mutation =
  | { readonly type: "set"; readonly key: RecordKey; readonly value: unknown } & SetOptions
  | { readonly type: "delete"; readonly key: RecordKey }
  /** Adds to a counter, or raises it; counters are read as `Deno.KvU64`. */
  | { readonly type: "sum" | "max"; readonly key: RecordKey; readonly value: bigint };

/** What one commit checks and changes, all of it or nothing. */
export interface Changes {
  readonly checks: readonly Check[];
  readonly mutations: readonly Mutation[];
}

export interface Stored {
  readonly ok: true;
  readonly versionstamp: string;
}

/** What became of a commit; it is not `ok` where a check failed. */
export type Outcome = Stored | { readonly ok: false };

export type ListSelector =
  | { readonly prefix: RecordKey }
  | { readonly prefix: RecordKey; readonly start: RecordKey }
  | { readonly prefix: RecordKey; readonly end: RecordKey }
  | { readonly start: RecordKey; readonly end: RecordKey };

export interface ListOptions {
  readonly limit?: number | undefined;
  readonly reverse?: boolean;
  /** Entries that are read at a time. */
  readonly batchSize?: number;
}

/** Entries of a listing; calls of `next()` wait for each other. */
export type Listing<T> = AsyncIterableIterator<Entry<T>, undefined>;

/** A commit that is being put together. */
export class Operation implements Changes {
  readonly checks: Check[] = [];
  readonly mutations: Mutation[] = [];

  constructor(private readonly store: Pick<RecordStore, "commit">) {}

  check(...checks: readonly Check[]): this {
    for (const { key, versionstamp } of checks) this.checks.push({ key, versionstamp });
    return this;
  }

  set(key: RecordKey, value: unknown, options?: SetOptions): this {
    this.mutations.push({ type: "set", key, value, expireIn: options?.expireIn });
    return this;
  }

  delete(key: RecordKey): this {
    this.mutations.push({ type: "delete", key });
    return this;
  }

  sum(key: RecordKey, value: bigint): this {
    this.mutations.push({ type: "sum", key, value });
    return this;
  }

  max(key: RecordKey, value: bigint): this {
    this.mutations.push({ type: "max", key, value });
    return this;
  }

  /** Commits it; see {@link RecordStore.commit}. */
  commit(lease?: Lease): Promise<Outcome> {
    return this.store.commit(this, lease);
  }
}

/** A part of a type that keys cannot have is refused with a `TypeError`, and so is a value. */
export abstract class RecordStore implements Disposable {
  abstract get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>>;

  /** Entries of several keys as they were at one moment, in the order of the keys. */
  abstract getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }>;

  abstract list<T = unknown>(selector: ListSelector, options?: ListOptions): Listing<T>;

  /** Stores changes without a lease; layers and implementations define it, and only they use it. */
  abstract write(changes: Changes): Promise<Outcome>;

  abstract close(): void;

  /**
   * Stores changes; where they are made under a lease, only as long as that is held.
   *
   * @throws {LeaseLostError}
   */
  async commit(changes: Changes, lease?: Lease): Promise<Outcome> {
    const check = lease?.check;
    if (check === undefined) return await this.write(changes);
    const { checks, mutations } = changes;
    const outcome = await this.write({ checks: [check, ...checks], mutations });
    if (!outcome.ok) await lease!.requireHeld();
    return outcome;
  }

  atomic(): Operation {
    return new Operation(this);
  }

  async set(key: RecordKey, value: unknown, options?: SetOptions): Promise<Stored> {
    return await this.atomic().set(key, value, options).commit() as Stored;
  }

  async delete(key: RecordKey): Promise<void> {
    await this.atomic().delete(key).commit();
  }

  /**
   * Moves a record of a wrong shape out of the way where nothing says that it is what was
   * stored; false where it stays.
   */
  setUncheckedAside(_key: RecordKey, _cause: unknown): Promise<boolean> {
    return Promise.resolve(false);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A store over another one, which does everything that the layer does not define. */
export abstract class StoreLayer extends RecordStore {
  constructor(protected readonly under: RecordStore) {
    super();
  }

  override get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>> {
    return this.under.get<T>(key);
  }

  override getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }> {
    return this.under.getMany<T>(keys);
  }

  override list<T = unknown>(selector: ListSelector, options?: ListOptions): Listing<T> {
    return this.under.list<T>(selector, options);
  }

  override write(changes: Changes): Promise<Outcome> {
    return this.under.write(changes);
  }

  override setUncheckedAside(key: RecordKey, cause: unknown): Promise<boolean> {
    return this.under.setUncheckedAside(key, cause);
  }

  override close(): void {
    this.under.close();
  }
}

/**
 * The interface for a key-value store with ordered entries. Commits consist of checks and changes.
 *
 * @module
 */
import type { Lease } from "./lease.ts";
import type {
  Changes,
  Check,
  Draft,
  Listing,
  ListOptions,
  ListSelector,
  MaybeEntry,
  Mutation,
  Outcome,
  RecordKey,
  RecordReader,
  SetOptions,
  Stored,
} from "./record_types.ts";

/** A commit under construction. */
export class Operation implements Draft {
  readonly checks: Check[] = [];
  readonly mutations: Mutation[] = [];

  readonly #store: Pick<RecordStore, "commit">;

  constructor(store: Pick<RecordStore, "commit">) {
    this.#store = store;
  }

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

  /** Adds the checks and changes of another commit. */
  include({ checks, mutations }: Changes): this {
    this.mutations.push(...mutations);
    return this.check(...checks);
  }

  /** Commits the changes; see {@link RecordStore.commit}. */
  commit(lease?: Lease): Promise<Outcome> {
    return this.#store.commit(this, lease);
  }
}

/**
 * A store of records. Its methods throw a `TypeError` if a key part or a value has an unsupported
 * type.
 */
export abstract class RecordStore implements RecordReader, Disposable {
  abstract get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>>;

  abstract getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }>;

  abstract list<T = unknown>(selector: ListSelector, options?: ListOptions): Listing<T>;

  /** Stores changes without a lease. Only layers and implementations define or call this method. */
  abstract write(changes: Changes): Promise<Outcome>;

  abstract close(): void;

  /**
   * Stores changes. If a lease is given, the commit succeeds only while the lease is valid. @throws
   * {LeaseLostError}
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

  setUncheckedAside(_key: RecordKey, _cause: unknown): Promise<boolean> {
    return Promise.resolve(false);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A layer over another store, which handles all calls that the layer does not define. */
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

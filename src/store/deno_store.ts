/** A store in Deno KV: in a file, in memory, or on a `denokv` server on another machine. @module */
import { RecordStore } from "./record_store.ts";
import type {
  Changes,
  Entry,
  Listing,
  ListOptions,
  ListSelector,
  MaybeEntry,
  Outcome,
  RecordKey,
} from "./record_types.ts";

/** Converts a database error to a meaningful error. */
export type Explain = (error: unknown) => unknown;

export class DenoStore extends RecordStore {
  readonly #kv: Deno.Kv;
  readonly #explain: Explain;

  constructor(kv: Deno.Kv, explain: Explain = (error) => error) {
    super();
    this.#kv = kv;
    this.#explain = explain;
  }

  /** Opens a database by path or URL; `":memory:"` opens a private in-memory database. */
  static async open(place: string, explain?: Explain): Promise<DenoStore> {
    return new DenoStore(await Deno.openKv(place), explain);
  }

  override async get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>> {
    return await this.#explained(this.#kv.get<T>(key)) as MaybeEntry<T>;
  }

  override async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }> {
    return await this.#explained(this.#kv.getMany<T>(keys)) as {
      [K in keyof T]: MaybeEntry<T[K]>;
    };
  }

  override async *list<T = unknown>(
    selector: ListSelector,
    { limit, reverse = false, batchSize }: ListOptions = {},
  ): Listing<T> {
    const listed = this.#kv.list<T>(selector, {
      reverse,
      ...(limit === undefined || limit === Infinity ? {} : { limit }),
      batchSize,
    });
    try {
      yield* listed as AsyncIterableIterator<Entry<T>, undefined>;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  override async write({ checks, mutations }: Changes): Promise<Outcome> {
    const operation = this.#kv.atomic().check(...checks);
    for (const mutation of mutations) {
      const { key } = mutation;
      if (mutation.type === "set") {
        const { value, expireIn } = mutation;
        operation.set(key, value, expireIn === undefined ? {} : { expireIn });
      } else if (mutation.type === "delete") operation.delete(key);
      else operation[mutation.type](key, mutation.value);
    }
    return await this.#explained(operation.commit());
  }

  async #explained<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  override close(): void {
    this.#kv.close();
  }
}

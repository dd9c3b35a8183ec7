/**
 * A listing of records, read in batches.
 *
 * @module
 */
import { cursorOf, type KeyRange } from "./key_range.ts";

/** An entry with its encoded key. */
export interface ListedEntry<T> {
  readonly encoded: Uint8Array;
  /** `undefined` where the key is damaged. */
  readonly entry: Deno.KvEntry<T> | undefined;
}

export type ReadBatch<T> = (range: KeyRange, limit: number) => Promise<readonly ListedEntry<T>[]>;

export interface ListOptions {
  /** Most entries in all. */
  readonly limit: number;
  /** Most entries of one batch. */
  readonly batchSize: number;
  /** The range without what lies before and at a place. */
  readonly after: (range: KeyRange, cursor: string) => KeyRange;
}

export class PgList<T> implements Deno.KvListIterator<T> {
  #range: KeyRange;
  #left: number;
  #batch: ListedEntry<T>[] = [];
  #isLast = false;
  /** The encoded key of the last entry; `"end"` where nothing is left. */
  #last: Uint8Array | "end" | undefined;
  /** Calls of `next()` that come at once are answered one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    range: KeyRange,
    private readonly options: ListOptions,
    private readonly read: ReadBatch<T>,
  ) {
    this.#range = range;
    this.#left = options.limit;
  }

  /** Where another listing goes on; empty where nothing is left. */
  get cursor(): string {
    if (this.#last === "end") return "";
    if (this.#last !== undefined) return cursorOf(this.#last);
    throw new TypeError("Cannot get the cursor of a listing before its first entry");
  }

  next(): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
    const turn = this.#turn.then(() => this.#next());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #next(): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
    for (;;) {
      if (this.#batch.length === 0) await this.#readOn();
      const listed = this.#batch.shift();
      if (listed === undefined) {
        if (this.#isLast) this.#last = "end";
        return { done: true, value: undefined };
      }
      this.#last = listed.encoded;
      if (listed.entry !== undefined) return { done: false, value: listed.entry };
    }
  }

  async #readOn(): Promise<void> {
    const limit = Math.min(this.#left, this.options.batchSize);
    if (this.#isLast || limit <= 0) return;
    const batch = await this.read(this.#range, limit);
    const last = batch.at(-1);
    this.#isLast = batch.length < limit;
    this.#left -= batch.length;
    if (last !== undefined) {
      this.#range = this.options.after(this.#range, cursorOf(last.encoded));
    }
    this.#batch = [...batch];
  }
}

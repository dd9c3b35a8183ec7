/**
 * Reads, lists and changes the records of one type in a store, including their index entries.
 *
 * @module
 */
import type {
  KeyPart,
  Lease,
  Operation,
  RecordKey,
  RecordStore,
  SetOptions,
} from "../../../store/mod.ts";
import type { RecordType } from "./record_type.ts";
import {
  commitWithRetries,
  type Page,
  type PageOptions,
  type PageRange,
  readAll,
  readPage,
  readRecord,
  type Versioned,
} from "./records.ts";

interface ChangeOptions<T> {
  readonly lease?: Lease | undefined;
  also?(operation: Operation, after: T, before: T): void | Promise<void>;
}

export class Table<T, Key extends readonly KeyPart[], Name extends string = never> {
  protected readonly kv: RecordStore;
  readonly #type: RecordType<T, Key, Name>;

  constructor(kv: RecordStore, type: RecordType<T, Key, Name>) {
    this.kv = kv;
    this.#type = type;
  }

  read(...parts: Key): Promise<Versioned<T> | undefined> {
    return readRecord(this.kv, this.#type.key(...parts), this.#type.schema);
  }

  async find(...parts: Key): Promise<T | undefined> {
    return (await this.read(...parts))?.value;
  }

  /** Returns the record that an index entry points to. */
  async readBy(index: Name, entry: RecordKey): Promise<Versioned<T> | undefined> {
    const found = await readRecord(this.kv, entry, this.#type.entrySchema(index));
    if (found === undefined) return undefined;
    const key = this.#type.follow(index, { key: entry, value: found.value });
    return await readRecord(this.kv, key, this.#type.schema);
  }

  async findBy(index: Name, entry: RecordKey): Promise<T | undefined> {
    return (await this.readBy(index, entry))?.value;
  }

  /** Returns a page of the records whose keys start with this part, newest first. */
  list(owner: KeyPart, range: Omit<PageOptions<T>, "schema">): Promise<Page<T>> {
    return readPage(this.kv, [...this.#type.root, owner], { schema: this.#type.schema, ...range });
  }

  /** Returns a page of the record copies under an index key, newest first. */
  listCopies(prefix: RecordKey, range: PageRange): Promise<Page<T>> {
    return readPage(this.kv, prefix, { schema: this.#type.schema, ...range });
  }

  /** Reads all records, or those whose keys start with these parts, in key order. */
  async *all(...parts: readonly KeyPart[]): AsyncGenerator<T> {
    const records = readAll(this.kv, [...this.#type.root, ...parts], this.#type.schema);
    for await (const { value } of records) yield value;
  }

  async collect(...parts: readonly KeyPart[]): Promise<T[]> {
    return await Array.fromAsync(this.all(...parts));
  }

  /** Reads the records that the index entries under a key point to. */
  async *allBy(index: Name, prefix: RecordKey): AsyncGenerator<T> {
    for await (const entry of readAll(this.kv, prefix, this.#type.entrySchema(index))) {
      const key = this.#type.follow(index, entry);
      const record = await readRecord(this.kv, key, this.#type.schema);
      if (record !== undefined) yield record.value;
    }
  }

  /** Adds a record. Returns `false` if another record has one of its unique entries. */
  async add(record: T, options?: SetOptions): Promise<boolean> {
    const operation = this.kv.atomic();
    this.#type.insert(operation, record, options);
    return (await operation.commit()).ok;
  }

  /**
   * Changes a record. Returns `undefined` if the record does not exist. Stores nothing if `change`
   * returns the same record.
   */
  async update(
    parts: Key,
    change: (record: T) => T | Promise<T>,
    { lease, also }: ChangeOptions<T> = {},
  ): Promise<T | undefined> {
    return await commitWithRetries(this.kv, [this.#type.key(...parts)], async (operation) => {
      const before = await this.read(...parts);
      if (before === undefined) return undefined;
      const after = await change(before.value);
      if (after === before.value) return after;
      this.#type.replace(operation, before, after);
      await also?.(operation, after, before.value);
      return after;
    }, { lease });
  }

  async remove(
    parts: Key,
    { lease, also }: ChangeOptions<T> = {},
  ): Promise<T | undefined> {
    return await commitWithRetries(this.kv, [this.#type.key(...parts)], async (operation) => {
      const found = await this.read(...parts);
      if (found === undefined) return undefined;
      this.#type.remove(operation, found);
      await also?.(operation, found.value, found.value);
      return found.value;
    }, { lease });
  }

  /**
   * Replaces each record for which `change` returns a different one. Returns the number of replaced
   * records.
   */
  async rewrite(change: (record: T) => Promise<T>): Promise<number> {
    let count = 0;
    for await (const { key } of this.kv.list({ prefix: this.#type.root })) {
      let isChanged = false;
      const parts = key.slice(this.#type.root.length) as readonly KeyPart[] as Key;
      await this.update(parts, async (record) => {
        const after = await change(record);
        isChanged = after !== record;
        return after;
      });
      if (isChanged) count++;
    }
    return count;
  }
}

/**
 * A record type declares the keys of its records, their schema, and their index entries. A commit
 * that changes a record also changes its entries. `table.ts` reads and changes the records of a
 * type in a store.
 *
 * @module
 */
import * as z from "zod";
import type { Draft, Entry, KeyPart, RecordKey, SetOptions } from "../../../store/mod.ts";
import type { Versioned } from "./records.ts";

/** Index entries, for finding records whose keys are not known. */
export interface Index<T> {
  entries(record: T): readonly RecordKey[];
  /**
   * The value of an entry. `copy` stands for a copy of the record. `id` stands for the last part of
   * the record's key, if the entry's key contains the other parts. A list of names stands for an
   * object with all parts of the record's key under these names. If a name is missing from the
   * object, the last part of the entry's key is used.
   */
  readonly holds: "copy" | "id" | readonly string[];
  /** Whether an entry can belong to only one record at a time. */
  readonly unique?: boolean;
}

interface Declaration<T, Key extends readonly KeyPart[], Name extends string> {
  /** The prefix of the keys of all records. */
  readonly root: RecordKey;
  /** Returns the parts of a record's key after the prefix. */
  parts(record: T): Key;
  readonly schema: z.ZodType<T>;
  readonly indices?: Readonly<Record<Name, Index<T>>>;
  /** Time from a record's last change until the store removes it, in milliseconds. */
  readonly expireIn?: number;
}

interface IndexEntry extends Pick<Entry, "key" | "value"> {
  readonly unique: boolean;
}

const pointer = z.record(z.string(), z.union([z.string(), z.number()]));

export class RecordType<T, const Key extends readonly KeyPart[], Name extends string = never> {
  readonly root: RecordKey;
  readonly schema: z.ZodType<T>;
  readonly #declared: Declaration<T, Key, Name>;

  constructor(declared: Declaration<T, Key, Name>) {
    this.root = declared.root;
    this.schema = declared.schema;
    this.#declared = declared;
  }

  key(...parts: Key): RecordKey {
    return [...this.root, ...parts];
  }

  keyOf(record: T): RecordKey {
    return [...this.root, ...this.#declared.parts(record)];
  }

  /**
   * Adds a new record to a commit. The commit fails if another record has one of its unique
   * entries.
   */
  insert(draft: Draft, record: T, options?: SetOptions): void {
    for (const { key, unique } of this.#entriesOf(record)) {
      if (unique) draft.check({ key, versionstamp: null });
    }
    this.set(draft, record, options);
  }

  /** Adds a record to a commit. A record that it replaces must have had the same entries. */
  set(draft: Draft, record: T, options: SetOptions = this.#expiry): void {
    draft.set(this.keyOf(record), record, options);
    for (const { key, value } of this.#entriesOf(record)) draft.set(key, value, options);
  }

  /**
   * Adds a record's change to a commit. The commit fails if the record has changed in the meantime,
   * or if another record has one of its unique entries.
   */
  replace(draft: Draft, before: Versioned<T>, after: T, options: SetOptions = this.#expiry): void {
    const [from, to] = [this.keyOf(before.value), this.keyOf(after)];
    draft.check({ key: from, versionstamp: before.versionstamp }).set(to, after, options);
    const old = new Map(
      [from, ...this.#entriesOf(before.value).map(({ key }) => key)]
        .map((key) => [JSON.stringify(key), key]),
    );
    old.delete(JSON.stringify(to));
    for (const { key, value, unique } of this.#entriesOf(after)) {
      const isNew = !old.delete(JSON.stringify(key));
      if (isNew && unique) draft.check({ key, versionstamp: null });
      if (isNew || value === after || options.expireIn !== undefined) {
        draft.set(key, value, options);
      }
    }
    for (const key of old.values()) draft.delete(key);
  }

  /**
   * Adds the removal of a record to a commit. The commit fails if the record has changed since it
   * was read.
   */
  remove(draft: Draft, { value, versionstamp }: Versioned<T>): void {
    this.drop(draft.check({ key: this.keyOf(value), versionstamp }), value);
  }

  /** Adds the removal of a record to a commit, regardless of later changes. */
  drop(draft: Draft, record: T): void {
    draft.delete(this.keyOf(record));
    for (const { key } of this.#entriesOf(record)) draft.delete(key);
  }

  /** Returns the key of the record that an index entry points to, parsed with its schema. */
  follow(index: Name, { key, value }: Pick<Entry, "key" | "value">): RecordKey {
    const { holds } = this.#declared.indices![index];
    if (holds === "copy") return this.keyOf(value as T);
    if (holds === "id") return [...this.root, ...key.slice(1, -1), value as string];
    const parts = value as z.infer<typeof pointer>;
    return [...this.root, ...holds.map((name) => parts[name] ?? key.at(-1)!)];
  }

  entrySchema(index: Name): z.ZodType<unknown> {
    const { holds } = this.#declared.indices![index];
    return holds === "copy" ? this.schema : holds === "id" ? z.string() : pointer;
  }

  get #expiry(): SetOptions {
    return { expireIn: this.#declared.expireIn };
  }

  #entriesOf(record: T): IndexEntry[] {
    const indices = Object.values<Index<T>>(this.#declared.indices ?? {});
    return indices.flatMap(({ entries, holds, unique = false }) =>
      entries(record).map((key) => ({ key, value: this.#held(record, holds), unique }))
    );
  }

  #held(record: T, holds: Index<T>["holds"]): unknown {
    if (holds === "copy") return record;
    const parts = this.#declared.parts(record);
    if (holds === "id") return parts.at(-1);
    return Object.fromEntries(holds.map((name, index) => [name, parts[index]]));
  }
}

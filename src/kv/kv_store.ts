/** @module A key-value store for users' code, in isolated namespaces over Deno KV. */
import { type Clock, type Random, systemClock, systemRandom } from "../lib/clock.ts";
import { Contention, whenUnlocked } from "../lib/contention.ts";
import { uuidV7 } from "../lib/ids.ts";
import { KeyedLock } from "../lib/keyed_lock.ts";
import { KnownHeads, type StoredHead } from "./known_heads.ts";
import { DEFAULT_QUOTA, type KvQuota } from "../lib/kv_limits.ts";
import {
  divide,
  encodeHead,
  type Head,
  KvKeys,
  NO_VALUE,
  parseHead,
  partCount,
} from "./records.ts";
import type {
  KvCondition,
  KvItem,
  KvPage,
  KvValue,
  Namespace,
  SetOptions,
  SetResult,
} from "./types.ts";
import { Usage } from "./usage.ts";
import type { Lease, Operation, Outcome, RecordKey, RecordStore } from "../store/mod.ts";

interface KvStoreOptions {
  readonly kv: RecordStore;
  /** Prefix of every key in the store. */
  readonly root: RecordKey;
  readonly quota?: KvQuota;
  /**
   * Whether this is the only writer below the root, so recently read or written heads can be
   * cached, and the sizes of namespaces need to be counted only once.
   */
  readonly isOnlyWriter?: boolean;
  readonly now?: Clock;
  readonly random?: Random;
}

export interface ListOptions {
  readonly prefix: string;
  readonly limit: number;
  /** The last key of the previous page of a list. */
  readonly after?: string | undefined;
}

/** The current entry under a key. `head` is missing if the key does not exist or has expired. */
interface CurrentEntry extends StoredHead {
  readonly head: Head | undefined;
}

function meets(condition: KvCondition | undefined, { head, versionstamp }: CurrentEntry): boolean {
  if (condition === undefined) return true;
  if (condition.type === "absent") return head === undefined;
  return head !== undefined && versionstamp === condition.version;
}

const expiryOf = ({ expiresAt }: Head) => expiresAt === undefined ? {} : { expiresAt };

/** Returns a unique name for a key. */
const nameOf = (namespace: Namespace, key: string): string => JSON.stringify([...namespace, key]);

/** Returns the size of a key and its value, as counted against the namespace's quota. */
const weightOf = (key: string, size: number): number => key.length + size;

export class KvStore {
  readonly #kv: RecordStore;
  readonly #keys: KvKeys;
  readonly #now: Clock;
  readonly #random: Random;
  readonly #usage: Usage;
  /** Missing if other processes write too. */
  readonly #known: KnownHeads | undefined;
  readonly #lock = new KeyedLock();

  constructor(
    { kv, root, quota = DEFAULT_QUOTA, isOnlyWriter = false, now, random }: KvStoreOptions,
  ) {
    this.#kv = kv;
    this.#keys = new KvKeys(root);
    this.#now = now ?? systemClock;
    this.#random = random ?? systemRandom;
    this.#known = isOnlyWriter ? new KnownHeads() : undefined;
    this.#usage = new Usage({
      quota,
      count: (namespace) => this.#count(namespace),
      isOnlyWriter,
      now: this.#now,
    });
  }

  /** Returns the value of a key, or `undefined` if the key does not exist. */
  async get(namespace: Namespace, key: string): Promise<KvValue | undefined> {
    const contention = new Contention();
    do {
      const { head, versionstamp } = await this.#find(namespace, key);
      if (head === undefined || versionstamp === null) return undefined;
      const bytes = head.inline ?? await this.#readParts(namespace, head);
      if (bytes !== undefined) {
        return { bytes, contentType: head.contentType, version: versionstamp, ...expiryOf(head) };
      }
    } while (await contention.wait());
    throw new Error(`Cannot read ${JSON.stringify(key)}: it keeps changing`);
  }

  /** Writes a value if the condition is met. */
  set(
    namespace: Namespace,
    key: string,
    value: { readonly bytes: Uint8Array<ArrayBuffer> } & SetOptions,
  ): Promise<SetResult> {
    return this.#alone(namespace, key, async () => {
      const contention = new Contention();
      do {
        const found = await this.#find(namespace, key);
        if (!meets(value.condition, found)) return { type: "conflict" };
        const change = {
          bytes: weightOf(key, value.bytes.byteLength) -
            (found.stored === undefined ? 0 : weightOf(key, found.stored.size)),
          keys: found.stored === undefined ? 1 : 0,
        };
        const message = await this.#usage.reserve(namespace, change);
        if (message !== undefined) return { type: "full", message };
        const commit = await this.#write(namespace, key, { found, value })
          .catch(async (error) => {
            await this.#usage.undo(namespace, change);
            throw error;
          });
        if (commit.ok) return { type: "set", version: commit.versionstamp };
        await this.#usage.undo(namespace, change);
      } while (await contention.wait());
      return { type: "conflict" };
    });
  }

  /**
   * Removes a key. Returns `false` if the condition is not met. A missing key counts as removed.
   */
  remove(namespace: Namespace, key: string, condition?: KvCondition): Promise<boolean> {
    return this.#alone(namespace, key, async () => {
      const contention = new Contention();
      do {
        const found = await this.#find(namespace, key);
        if (!meets(condition, found)) return false;
        if (found.stored === undefined) return true;
        if (await this.#drop(namespace, key, found)) return true;
      } while (await contention.wait());
      return false;
    });
  }

  /** Returns one page of keys, sorted by their bytes. */
  async list(namespace: Namespace, { prefix, limit, after }: ListOptions): Promise<KvPage> {
    const items: KvItem[] = [];
    for await (const { key, head, version } of this.#scan(namespace, prefix, after)) {
      if (this.#isExpired(head)) continue;
      if (items.length === limit) return { items, cursor: items.at(-1)!.key };
      items.push({ key, size: head.size, version, ...expiryOf(head) });
    }
    return { items, cursor: null };
  }

  /** Removes all keys that begin with a prefix. Returns the number of removed keys. */
  async clear(namespace: Namespace, prefix = ""): Promise<number> {
    let count = 0;
    for await (const { key } of this.#scan(namespace, prefix)) {
      if (await this.remove(namespace, key)) count++;
    }
    return count;
  }

  /** Returns the size of a namespace, in bytes and keys. */
  usage(namespace: Namespace) {
    return this.#usage.of(namespace);
  }

  /** Removes expired keys. Returns the number of removed keys. */
  async sweep(signal: AbortSignal, lease?: Lease): Promise<number> {
    let count = 0;
    const prefix = this.#keys.allExpiries();
    for await (const entry of this.#kv.list({ prefix }, { batchSize: 500 })) {
      const [at, ...rest] = entry.key.slice(prefix.length);
      if (signal.aborted || Number(at) > this.#now()) break;
      const key = String(rest.pop());
      if (await this.#sweepOne(rest.map(String) as unknown as Namespace, key, lease)) count++;
      await whenUnlocked(() => this.#kv.atomic().delete(entry.key).commit(lease));
    }
    return count;
  }

  /** Yields the keys of all records whose namespace begins with these parts. */
  async *recordsOf(...begin: readonly string[]): AsyncGenerator<RecordKey> {
    this.dropCached(...begin);
    for (const prefix of [this.#keys.heads(begin), this.#keys.allParts(begin)]) {
      for await (const { key } of this.#kv.list({ prefix }, { batchSize: 500 })) yield key;
    }
  }

  /** Drops cached data of these namespaces after other code has removed their records. */
  dropCached(...begin: readonly string[]): void {
    this.#usage.forget(...begin);
    this.#known?.clear();
  }

  #alone<T>(namespace: Namespace, key: string, work: () => Promise<T>): Promise<T> {
    return this.#lock.run(nameOf(namespace, key), work);
  }

  #isExpired({ expiresAt }: Head): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  async #find(namespace: Namespace, key: string): Promise<CurrentEntry> {
    const load = () => this.#load(namespace, key);
    const { versionstamp, stored } = this.#known === undefined
      ? await load()
      : await this.#known.read(nameOf(namespace, key), load);
    const head = stored === undefined || this.#isExpired(stored) ? undefined : stored;
    return { versionstamp, stored, head };
  }

  async #load(namespace: Namespace, key: string): Promise<StoredHead> {
    const { value, versionstamp } = await this.#kv.get(this.#keys.head(namespace, key));
    return { versionstamp, stored: parseHead(value) };
  }

  /** Commits a change to a key. `stored` is the key's new head. */
  async #commit(
    operation: Operation,
    name: string,
    stored: Head | undefined,
    lease?: Lease,
  ): Promise<Outcome> {
    let result: Outcome | undefined;
    try {
      return result = await whenUnlocked(() => operation.commit(lease));
    } finally {
      // After a failed commit, the state is unknown.
      if (result?.ok !== true) this.#known?.forget(name);
      else {
        const versionstamp = stored === undefined ? null : result.versionstamp;
        this.#known?.note(name, { versionstamp, stored });
      }
    }
  }

  /** Returns `undefined` if a concurrent write has replaced the parts. */
  async #readParts(
    namespace: Namespace,
    head: Head,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = new Uint8Array(head.size);
    const prefix = this.#keys.parts(namespace, head.partsId!);
    let at = 0;
    for await (const { value } of this.#kv.list<Uint8Array>({ prefix })) {
      if (at + value.byteLength > head.size) return undefined;
      bytes.set(value, at);
      at += value.byteLength;
    }
    return at === head.size ? bytes : undefined;
  }

  #write(namespace: Namespace, key: string, { found, value }: {
    readonly found: CurrentEntry;
    readonly value: { readonly bytes: Uint8Array<ArrayBuffer> } & SetOptions;
  }): Promise<Outcome> {
    const { bytes, contentType, ttlSeconds } = value;
    const { head, parts } = divide(bytes, () => uuidV7(this.#now, this.#random));
    const expiresAt = ttlSeconds === undefined ? undefined : this.#now() + ttlSeconds * 1000;
    const stored: Head = {
      size: bytes.byteLength,
      contentType,
      ...head,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const operation = this.#removal(namespace, key, found)
      .set(this.#keys.head(namespace, key), encodeHead(stored));
    parts.forEach((part, index) =>
      operation.set([...this.#keys.parts(namespace, head.partsId!), index], part)
    );
    if (expiresAt !== undefined) {
      operation.set(this.#keys.expiry(expiresAt, namespace, key), NO_VALUE);
    }
    return this.#commit(operation, nameOf(namespace, key), stored);
  }

  /**
   * Returns the operation that starts a write. It removes the old value, provided that this value
   * has not changed.
   */
  #removal(
    namespace: Namespace,
    key: string,
    { stored, versionstamp }: CurrentEntry,
  ): Operation {
    const operation = this.#kv.atomic().check({
      key: this.#keys.head(namespace, key),
      versionstamp,
    });
    if (stored === undefined) return operation;
    if (stored.expiresAt !== undefined) {
      operation.delete(this.#keys.expiry(stored.expiresAt, namespace, key));
    }
    for (let index = 0; index < partCount(stored); index++) {
      operation.delete([...this.#keys.parts(namespace, stored.partsId!), index]);
    }
    return operation;
  }

  async #drop(
    namespace: Namespace,
    key: string,
    found: CurrentEntry,
    lease?: Lease,
  ): Promise<boolean> {
    const operation = this.#removal(namespace, key, found).delete(this.#keys.head(namespace, key));
    const { ok } = await this.#commit(operation, nameOf(namespace, key), undefined, lease);
    if (ok && found.stored !== undefined) {
      await this.#usage.undo(namespace, { bytes: weightOf(key, found.stored.size), keys: 1 });
    }
    return ok;
  }

  #sweepOne(namespace: Namespace, key: string, lease: Lease | undefined): Promise<boolean> {
    return this.#alone(namespace, key, async () => {
      const found = await this.#find(namespace, key);
      if (found.stored === undefined || found.head !== undefined) return false;
      return await this.#drop(namespace, key, found, lease);
    });
  }

  async *#scan(namespace: Namespace, prefix: string, after?: string) {
    const heads = this.#keys.heads(namespace);
    // The successor of a key is that key plus a zero byte.
    const start = [...heads, after === undefined || after < prefix ? prefix : `${after}\0`];
    for await (
      const entry of this.#kv.list({ prefix: heads, start }, { batchSize: 200 })
    ) {
      const key = String(entry.key.at(-1));
      if (!key.startsWith(prefix)) return;
      yield { key, head: parseHead(entry.value)!, version: entry.versionstamp };
    }
  }

  async #count(namespace: readonly string[]) {
    const total = { bytes: 0, keys: 0 };
    for await (const { key, head } of this.#scan(namespace as Namespace, "")) {
      total.bytes += weightOf(key, head.size);
      total.keys++;
    }
    return total;
  }
}

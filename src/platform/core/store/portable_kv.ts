/**
 * A store whose values every runtime can read, and the check that an older
 * runtime makes before it opens a store that was written natively.
 *
 * @module
 */
import { deserialize } from "node:v8";
import { DamagedRecordError, SET_UNCHECKED_ASIDE } from "./damaged_record.ts";
import { keys } from "./keys.ts";
import { checksumOf, decodeValue, encodeValue } from "./portable_values.ts";
import { describeDamage, setAside } from "./set_aside.ts";

/** The store holds values that this program's runtime is too old to read. */
export class NewerValuesError extends Error {
  override readonly name = "NewerValuesError";

  constructor(options: ErrorOptions) {
    super(
      "it holds values that an svc on a newer Deno wrote, and this program, on Deno " +
        `${Deno.version.deno}, cannot read them. Nothing was changed. Start it with the svc that ` +
        "wrote it, or restore a backup that this one made",
      options,
    );
  }
}

/** Marks a store all of whose values are readable everywhere. */
const MARK = keys.meta("portable_values");

const isMark = (key: Deno.KvKey): boolean => key.join() === MARK.join();

/** Null, in the format that Deno 2.9 stores natively. */
const NEWER_NULL = new Uint8Array([0xff, 0x10, 0x30]);

/** Whether this runtime may have written natively what an older one cannot read. */
function readsNewerFormat(): boolean {
  try {
    return deserialize(NEWER_NULL) === null;
  } catch {
    return false;
  }
}

/** Whether a store contains nothing but the platform's own mark. */
export async function isStoreEmpty(kv: Deno.Kv): Promise<boolean> {
  for await (const { key } of kv.list({ prefix: [] }, { limit: 2 })) {
    if (!isMark(key)) return false;
  }
  return true;
}

/** Whether a store is marked as one all of whose values are readable everywhere. */
async function isMarkedPortable(kv: Deno.Kv): Promise<boolean> {
  return (await kv.get(MARK)).versionstamp !== null;
}

/**
 * Makes sure that all values can be read, without changing anything. Returns
 * whether to mark the store, so that the next start can skip the check.
 *
 * @throws {NewerValuesError} if one cannot.
 */
export async function checkReadable(kv: Deno.Kv): Promise<boolean> {
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

/** Marks a store of which `checkReadable()` says so. Bytes are readable everywhere. */
export async function markPortable(kv: Deno.Kv): Promise<void> {
  await kv.set(MARK, new Uint8Array([1]));
}

/** How a store treats what is damaged in it. */
export interface DamageOptions {
  /** Is told of each record that was set aside; without it, reading one fails. */
  readonly onDamaged?: (message: string) => void;
  /**
   * Mends what the store itself cannot list, and tells of it; returns how many records that were.
   * Called when a listing fails.
   */
  readonly mend?: () => Promise<number>;
  /** Says what an error of the store itself means for the operator. */
  readonly explain?: (error: unknown) => unknown;
}

/** Runs work on a store, and explains its errors. */
async function explained<T>({ explain }: DamageOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain === undefined ? error : explain(error);
  }
}

/** How often a damaged record that changes all the time is read again. */
const MAX_ATTEMPTS = 5;

/** Decodes entries, and sets damaged ones aside. */
class Decoder {
  constructor(private readonly kv: Deno.Kv, private readonly options: DamageOptions) {}

  /**
   * The entry, decoded; one without a value where it was damaged.
   *
   * @throws {DamagedRecordError} where damaged records are not set aside.
   */
  async decode<T>(found: Deno.KvEntryMaybe<T>): Promise<Deno.KvEntryMaybe<T>> {
    let entry: Deno.KvEntryMaybe<unknown> = found;
    for (let attempt = 1;; attempt++) {
      try {
        const value = decodeValue(entry.key, entry.value);
        return { ...entry, value } as Deno.KvEntryMaybe<T>;
      } catch (cause) {
        if (entry.versionstamp === null || attempt === MAX_ATTEMPTS) {
          throw new DamagedRecordError(entry.key, cause);
        }
        if (await this.#setAside(entry, cause)) {
          return { key: entry.key, value: null, versionstamp: null };
        }
        entry = await this.kv.get(entry.key);
      }
    }
  }

  async #setAside(entry: Deno.KvEntry<unknown>, cause: unknown): Promise<boolean> {
    const { onDamaged } = this.options;
    if (onDamaged === undefined) throw new DamagedRecordError(entry.key, cause);
    if (await setAside(this.kv, entry)) onDamaged(describeDamage(entry.key, cause));
    // A record whose key has changed is found by no search.
    else if (await this.mend() === 0) return false;
    return true;
  }

  /** Mends what cannot be listed; returns how many records that were. */
  async mend(): Promise<number> {
    return await explained(this.options, async () => await this.options.mend?.() ?? 0);
  }

  explain(error: unknown): unknown {
    return this.options.explain === undefined ? error : this.options.explain(error);
  }

  /** Sets a record of a wrong shape aside where nothing says that it is what was stored. */
  readonly setUncheckedAside = async (key: Deno.KvKey, cause: unknown): Promise<boolean> => {
    if (this.options.onDamaged === undefined) return false;
    const entry = await this.kv.get(key);
    if (entry.versionstamp === null) return true;
    if (checksumOf(key, entry.value) !== "none") return false;
    return await this.#setAside(entry, cause);
  };
}

/** A listing that leaves out damaged records, and goes on where the store had to be mended. */
class PortableList<T> implements Deno.KvListIterator<T> {
  #own: Deno.KvListIterator<T>;
  #attempts = 1;
  #count = 0;

  constructor(
    private readonly decoder: Decoder,
    private readonly open: (options: Deno.KvListOptions) => Deno.KvListIterator<T>,
    private readonly options: Deno.KvListOptions,
  ) {
    this.#own = open(options);
  }

  get cursor(): string {
    return this.#own.cursor;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
    for (;;) {
      const result = await this.#next();
      if (result.done === true) return result;
      this.#count++;
      const entry = await this.decoder.decode<T>(result.value);
      if (entry.versionstamp !== null) return { done: false, value: entry };
    }
  }

  async #next(): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
    for (;;) {
      try {
        return await this.#own.next();
      } catch (error) {
        if (this.#attempts++ === MAX_ATTEMPTS || await this.decoder.mend() === 0) {
          throw this.decoder.explain(error);
        }
        const { cursor, limit } = this.options;
        this.#own = this.open({
          ...this.options,
          ...(this.#count > 0 ? { cursor: this.cursor } : cursor === undefined ? {} : { cursor }),
          ...(limit === undefined ? {} : { limit: limit - this.#count }),
        });
      }
    }
  }
}

function refuse(): never {
  throw new TypeError("Cannot use this part of the store: its values are not encoded");
}

/** An operation that encodes its values; everything else is the store's own. */
function portableOperation(
  operation: Deno.AtomicOperation,
  explaining: DamageOptions,
): Deno.AtomicOperation {
  const portable: Deno.AtomicOperation = new Proxy(operation, {
    get(target, name) {
      if (name === "set") {
        return (key: Deno.KvKey, value: unknown, options?: { readonly expireIn?: number }) => {
          target.set(key, encodeValue(key, value), options);
          return portable;
        };
      }
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      if (name === "commit") return () => explained(explaining, () => target.commit());
      if (name === "mutate" || name === "enqueue") return refuse;
      return (...given: readonly unknown[]) => {
        own.apply(target, given);
        return portable;
      };
    },
  });
  return portable;
}

/**
 * The same store, with values encoded so that every runtime can read them, and damaged records
 * set aside. Queues, `watch()` and `mutate()` are not used by the platform, and refused.
 */
export function portableKv(kv: Deno.Kv, options: DamageOptions = {}): Deno.Kv {
  const decoder = new Decoder(kv, options);
  const changed: Readonly<Record<string | symbol, unknown>> = {
    get: async (...given: Parameters<Deno.Kv["get"]>) =>
      await decoder.decode(await explained(options, () => kv.get(...given))),
    getMany: async (...given: Parameters<Deno.Kv["getMany"]>) =>
      await Promise.all(
        (await explained(options, () => kv.getMany(...given))).map((entry) =>
          decoder.decode(entry)
        ),
      ),
    list: (selector: Deno.KvListSelector, listed: Deno.KvListOptions = {}) =>
      new PortableList(decoder, (changes) => kv.list(selector, changes), listed),
    set: (key: Deno.KvKey, value: unknown, expiry?: { readonly expireIn?: number }) => {
      const encoded = encodeValue(key, value);
      return explained(options, () => kv.set(key, encoded, expiry));
    },
    atomic: () => portableOperation(kv.atomic(), options),
    watch: refuse,
    enqueue: refuse,
    listenQueue: refuse,
    [SET_UNCHECKED_ASIDE]: decoder.setUncheckedAside,
  };
  return new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(changed, name)) return changed[name];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

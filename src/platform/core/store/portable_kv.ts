/**
 * A store whose values every runtime can read, and the check that an older
 * runtime makes before it opens a store that was written natively.
 *
 * @module
 */
import { deserialize } from "node:v8";
import { keys } from "./keys.ts";
import { decodeValue, encodeValue } from "./portable_values.ts";

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

/**
 * Makes sure that all values can be read, without changing anything. Returns
 * whether to mark the store, so that the next start can skip the check.
 *
 * @throws {NewerValuesError} if one cannot.
 */
export async function checkReadable(kv: Deno.Kv): Promise<boolean> {
  if ((await kv.get(MARK)).versionstamp !== null) return false;
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

function decodeEntry<T>(entry: Deno.KvEntryMaybe<T>): Deno.KvEntryMaybe<T> {
  return { ...entry, value: decodeValue(entry.value) } as Deno.KvEntryMaybe<T>;
}

function refuse(): never {
  throw new TypeError("Cannot use this part of the store: its values are not encoded");
}

/** An operation that encodes its values; everything else is the store's own. */
function portableOperation(operation: Deno.AtomicOperation): Deno.AtomicOperation {
  const portable: Deno.AtomicOperation = new Proxy(operation, {
    get(target, name) {
      if (name === "set") {
        return (key: Deno.KvKey, value: unknown, options?: { readonly expireIn?: number }) => {
          target.set(key, encodeValue(value), options);
          return portable;
        };
      }
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      if (name === "commit") return own.bind(target);
      if (name === "mutate" || name === "enqueue") return refuse;
      return (...given: readonly unknown[]) => {
        own.apply(target, given);
        return portable;
      };
    },
  });
  return portable;
}

/** An iterator of entries, with the cursor of the store's own. */
function portableIterator<T>(iterator: Deno.KvListIterator<T>): Deno.KvListIterator<T> {
  const next = async (): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> => {
    const result = await iterator.next();
    if (result.done === true) return result;
    return { done: false, value: decodeEntry<T>(result.value) as Deno.KvEntry<T> };
  };
  return new Proxy(iterator, {
    get(target, name, proxy) {
      if (name === "next") return next;
      if (name === Symbol.asyncIterator) return () => proxy;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/**
 * The same store, with values encoded so that every runtime can read them.
 * Queues, `watch()` and `mutate()` are not used by the platform, and refused.
 */
export function portableKv(kv: Deno.Kv): Deno.Kv {
  const changed: Readonly<Record<string, unknown>> = {
    get: async (...given: Parameters<Deno.Kv["get"]>) => decodeEntry(await kv.get(...given)),
    getMany: async (...given: Parameters<Deno.Kv["getMany"]>) =>
      (await kv.getMany(...given)).map(decodeEntry),
    list: (...given: Parameters<Deno.Kv["list"]>) => portableIterator(kv.list(...given)),
    set: (key: Deno.KvKey, value: unknown, options?: { readonly expireIn?: number }) =>
      kv.set(key, encodeValue(value), options),
    atomic: () => portableOperation(kv.atomic()),
    watch: refuse,
    enqueue: refuse,
    listenQueue: refuse,
  };
  return new Proxy(kv, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(changed, name)) return changed[name];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

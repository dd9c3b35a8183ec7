/**
 * Combines simultaneous reads into one request, because each request costs two thread switches.
 *
 * @module
 */
import type { MaybeEntry, RecordKey, RecordStore } from "../../../store/mod.ts";
import { keyName, keySize } from "./commit_group.ts";

/** Maximum number of keys per `getMany` in Deno KV. */
const MANY = 10;

const AT_ONCE = 4;

/** Maximum size of a key, in bytes. Deno KV itself rejects larger keys. */
const MAX_KEY_BYTES = 2048;

interface Waiting {
  readonly key: RecordKey;
  resolve(entry: MaybeEntry): void;
  reject(reason: unknown): void;
}

function isUsual(key: RecordKey): boolean {
  try {
    return key.length > 0 && keySize(keyName(key), key) <= MAX_KEY_BYTES;
  } catch {
    return false;
  }
}

/**
 * Replaces a store's `get`. A read sees every commit that was acknowledged before the read started.
 */
export function sharedReads(store: RecordStore): RecordStore["get"] {
  const waiting: Waiting[] = [];
  let running = 0;
  let planned = false;

  async function read(some: readonly Waiting[]): Promise<void> {
    try {
      const entries = await store.getMany<unknown[]>(some.map(({ key }) => key));
      some.forEach(({ resolve }, index) => resolve(entries[index]!));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  async function readOn(): Promise<void> {
    running++;
    while (waiting.length > 0) await read(waiting.splice(0, MANY));
    running--;
  }

  function plan(): void {
    if (planned || running === AT_ONCE) return;
    planned = true;
    // Reads that start in the same turn of the event loop share a request.
    queueMicrotask(() => {
      planned = false;
      void readOn();
    });
  }

  return function get<T>(key: RecordKey) {
    if (!isUsual(key)) return store.get<T>(key);
    const { promise, resolve, reject } = Promise.withResolvers<MaybeEntry>();
    waiting.push({ key, resolve, reject });
    plan();
    return promise as Promise<MaybeEntry<T>>;
  };
}

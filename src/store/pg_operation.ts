/**
 * An atomic operation written down as data, within the limits of Deno KV, so that
 * whatever is stored here can be moved to an embedded store. Pure.
 *
 * @module
 */
import { encodeKey } from "./key_encoding.ts";
import { versionOf } from "./versions.ts";

const MAX_KEY_BYTES = 2048;
const MAX_VALUE_BYTES = 65_536;
const MAX_CHECKS = 100;
const MAX_MUTATIONS = 1000;
const MAX_BYTES = 819_200;

interface Check {
  readonly key: string;
  /** A decimal number; `null` where no record may be. */
  readonly version: string | null;
}

interface Mutation {
  readonly type: "set" | "delete" | "sum" | "min" | "max";
  readonly key: string;
  /** Bytes, in Base64. */
  readonly value?: string;
  /** A counter, in decimal. */
  readonly number?: string;
  readonly expire_ms?: number;
}

/** What the function `svc.commit()` takes for one operation. */
export interface OperationData {
  readonly checks: readonly Check[];
  readonly mutations: readonly Mutation[];
  /** True where it adds to counters, which can fail. */
  readonly counts: boolean;
}

export type Outcome = Deno.KvCommitResult | Deno.KvCommitError;

/** Encodes a key that a record can have. @throws {TypeError} */
export function encodeRecordKey(key: Deno.KvKey): Uint8Array<ArrayBuffer> {
  if (key.length === 0) throw new TypeError("Cannot use an empty key");
  const bytes = encodeKey(key);
  if (bytes.byteLength > MAX_KEY_BYTES) {
    throw new TypeError(
      `Cannot use a key of ${bytes.byteLength} bytes: at most ${MAX_KEY_BYTES} are allowed`,
    );
  }
  return bytes;
}

function encodeValue(value: unknown): Pick<Mutation, "value" | "number"> & { bytes: number } {
  if (value instanceof Deno.KvU64) return { number: String(value.value), bytes: 8 };
  if (!(value instanceof Uint8Array)) {
    throw new TypeError("Cannot store the value in PostgreSQL: it is not encoded as bytes");
  }
  if (value.byteLength > MAX_VALUE_BYTES) {
    throw new TypeError(
      `Cannot store a value of ${value.byteLength} bytes: at most ${MAX_VALUE_BYTES} are allowed`,
    );
  }
  return { value: value.toBase64(), bytes: value.byteLength };
}

function refuseQueue(): never {
  throw new TypeError("Cannot use queues: a store in PostgreSQL has none");
}

export class PgOperation implements Deno.AtomicOperation {
  readonly #checks: Check[] = [];
  readonly #mutations: Mutation[] = [];
  #counts = false;
  #bytes = 0;

  constructor(private readonly send: (operation: PgOperation) => Promise<Outcome>) {}

  get data(): OperationData {
    return { checks: this.#checks, mutations: this.#mutations, counts: this.#counts };
  }

  check(...checks: Deno.AtomicCheck[]): this {
    for (const { key, versionstamp } of checks) {
      const version = versionstamp === null ? null : String(versionOf(versionstamp));
      this.#checks.push({ key: this.#key(key), version });
    }
    return this;
  }

  set(key: Deno.KvKey, value: unknown, options?: { readonly expireIn?: number }): this {
    const { bytes, ...stored } = encodeValue(value);
    this.#bytes += bytes;
    const expireIn = options?.expireIn;
    return this.#mutate({
      ...{ type: "set", key: this.#key(key), ...stored },
      ...(expireIn === undefined ? {} : { expire_ms: expireIn }),
    });
  }

  delete(key: Deno.KvKey): this {
    return this.#mutate({ type: "delete", key: this.#key(key) });
  }

  sum(key: Deno.KvKey, n: bigint): this {
    return this.#count("sum", key, n);
  }

  min(key: Deno.KvKey, n: bigint): this {
    return this.#count("min", key, n);
  }

  max(key: Deno.KvKey, n: bigint): this {
    return this.#count("max", key, n);
  }

  mutate(...mutations: Deno.KvMutation[]): this {
    for (const mutation of mutations) {
      const { key } = mutation;
      if (mutation.type === "set") {
        const { expireIn } = mutation;
        this.set(key, mutation.value, expireIn === undefined ? {} : { expireIn });
      } else if (mutation.type === "delete") this.delete(key);
      else this.#count(mutation.type, key, mutation.value.value);
    }
    return this;
  }

  enqueue(): this {
    return refuseQueue();
  }

  /** @throws {TypeError} where it is larger than a commit may be. */
  checkSize(): void {
    if (this.#checks.length > MAX_CHECKS) {
      throw new TypeError(`Cannot commit: it has over ${MAX_CHECKS} checks`);
    }
    if (this.#mutations.length > MAX_MUTATIONS) {
      throw new TypeError(`Cannot commit: it has over ${MAX_MUTATIONS} mutations`);
    }
    if (this.#bytes > MAX_BYTES) {
      throw new TypeError(`Cannot commit: it has over ${MAX_BYTES} bytes`);
    }
  }

  async commit(): Promise<Outcome> {
    this.checkSize();
    return await this.send(this);
  }

  #count(type: "sum" | "min" | "max", key: Deno.KvKey, n: bigint): this {
    this.#counts = true;
    return this.#mutate({ type, key: this.#key(key), number: String(new Deno.KvU64(n).value) });
  }

  #mutate(mutation: Mutation): this {
    this.#mutations.push(mutation);
    return this;
  }

  #key(key: Deno.KvKey): string {
    const bytes = encodeRecordKey(key);
    this.#bytes += bytes.byteLength;
    return bytes.toBase64();
  }
}

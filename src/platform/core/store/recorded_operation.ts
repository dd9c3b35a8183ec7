/**
 * An atomic operation that is written down, so that it can share a transaction
 * with others, or be tried again alone.
 *
 * @module
 */
import { type Footprint, keyName, keySize } from "./commit_group.ts";

/** Largest key and value of Deno KV, in bytes: what may be larger is left to it to refuse. */
const MAX_KEY_BYTES = 2048;
const MAX_VALUE_BYTES = 65_536;

/** A version as Deno KV writes it: another one is refused, and so must be alone. */
const VERSION = /^[0-9a-f]{20}$/;

type Step = (operation: Deno.AtomicOperation) => void;
export type Committed = Deno.KvCommitResult | Deno.KvCommitError;

/** An operation as it was written down. */
export interface Recorded {
  readonly footprint: Footprint;
  /** Adds all steps to an operation of the store. */
  replay(operation: Deno.AtomicOperation): void;
}

export class RecordedOperation implements Deno.AtomicOperation {
  readonly #steps: Step[] = [];
  readonly #checked = new Map<string, string | null>();
  readonly #changed = new Set<string>();
  #mutations = 0;
  #keyBytes = 0;
  #bytes = 0;
  #alone = false;

  /** @param send commits what was written down; called where there is something. */
  constructor(
    private readonly send: (recorded: Recorded) => Promise<Committed>,
    /** The answer to a commit of nothing, which needs no transaction. */
    private readonly nothing: () => Deno.KvCommitResult,
  ) {}

  check(...checks: Deno.AtomicCheck[]): this {
    for (const { key, versionstamp } of checks) {
      const name = this.#name(key);
      if (name !== undefined) {
        const known = this.#checked.get(name);
        const isUsual = versionstamp === null || VERSION.test(versionstamp);
        if (!isUsual || known !== undefined && known !== versionstamp) this.#alone = true;
        this.#checked.set(name, versionstamp);
      }
      this.#steps.push((operation) => operation.check({ key, versionstamp }));
    }
    return this;
  }

  set(key: Deno.KvKey, value: unknown, options?: { readonly expireIn?: number }): this {
    const size = value instanceof Uint8Array ? value.byteLength : undefined;
    const expireIn = options?.expireIn;
    const isUsual = size !== undefined && size <= MAX_VALUE_BYTES &&
      (expireIn === undefined || Number.isSafeInteger(expireIn) && expireIn >= 0);
    if (!isUsual) this.#alone = true;
    return this.#change(key, size ?? 0, (operation) => operation.set(key, value, options));
  }

  delete(key: Deno.KvKey): this {
    return this.#change(key, 0, (operation) => operation.delete(key));
  }

  sum(key: Deno.KvKey, n: bigint): this {
    return this.#count(key, (operation) => operation.sum(key, n));
  }

  min(key: Deno.KvKey, n: bigint): this {
    return this.#count(key, (operation) => operation.min(key, n));
  }

  max(key: Deno.KvKey, n: bigint): this {
    return this.#count(key, (operation) => operation.max(key, n));
  }

  mutate(...mutations: Deno.KvMutation[]): this {
    for (const mutation of mutations) {
      this.#count(mutation.key, (operation) => operation.mutate(mutation));
    }
    return this;
  }

  enqueue(value: unknown, options?: Parameters<Deno.AtomicOperation["enqueue"]>[1]): this {
    this.#alone = true;
    this.#steps.push((operation) => operation.enqueue(value, options));
    return this;
  }

  commit(): Promise<Committed> {
    if (this.#steps.length === 0) return Promise.resolve(this.nothing());
    const steps = [...this.#steps];
    return this.send({
      footprint: {
        checked: new Map(this.#checked),
        changed: new Set(this.#changed),
        mutations: this.#mutations,
        keyBytes: this.#keyBytes,
        bytes: this.#bytes,
        alone: this.#alone,
      },
      replay: (operation) => {
        for (const step of steps) step(operation);
      },
    });
  }

  /**
   * A counter can be of a type that is not a counter's, and Deno KV then keeps
   * what it had changed before it failed: so no other commit may be beside it.
   */
  #count(key: Deno.KvKey, step: Step): this {
    this.#alone = true;
    return this.#change(key, 0, step);
  }

  #change(key: Deno.KvKey, valueBytes: number, step: Step): this {
    const name = this.#name(key);
    if (name !== undefined) this.#changed.add(name);
    this.#mutations++;
    this.#bytes += valueBytes;
    this.#steps.push(step);
    return this;
  }

  /** The name of a key, which is counted; `undefined` for one that Deno KV is to refuse. */
  #name(key: Deno.KvKey): string | undefined {
    try {
      const name = keyName(key);
      const size = keySize(name, key);
      if (key.length === 0 || size > MAX_KEY_BYTES) this.#alone = true;
      this.#keyBytes += size;
      this.#bytes += size;
      return name;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#alone = true;
      return undefined;
    }
  }
}

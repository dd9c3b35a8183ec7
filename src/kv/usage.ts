/**
 * The size of each namespace, counted once and then kept up to date. If other processes write too,
 * it is counted again from time to time, because only this process's own writes change the total.
 *
 * @module
 */
import type { Clock } from "../lib/clock.ts";
import { formatBytes } from "../lib/format.ts";
import type { KvQuota } from "../lib/kv_limits.ts";

export interface Change {
  readonly bytes: number;
  readonly keys: number;
}

interface Total {
  bytes: number;
  keys: number;
}

interface Counted {
  readonly total: Promise<Total>;
  /** When the count finished; missing while it runs. */
  at?: number;
}

/** How long a total is used if other processes write too, in milliseconds. */
const MAX_AGE_MS = 10 * 60_000;

/** Minimum age at which a total is counted again before a write is refused, in milliseconds. */
const MIN_AGE_MS = 5_000;

interface UsageOptions {
  readonly quota: KvQuota;
  count(namespace: readonly string[]): Promise<Change>;
  /** Whether no other process writes to the namespaces. */
  readonly isOnlyWriter: boolean;
  readonly now: Clock;
}

export class Usage {
  readonly #totals = new Map<string, Counted>();

  readonly #options: UsageOptions;

  constructor(options: UsageOptions) {
    this.#options = options;
  }

  /** Returns the current size of a namespace. */
  async of(namespace: readonly string[]): Promise<Change> {
    return { ...await this.#total(namespace) };
  }

  /** Reserves space before a write. If there is not enough space, returns the reason. */
  async reserve(namespace: readonly string[], change: Change): Promise<string | undefined> {
    const { quota, isOnlyWriter } = this.#options;
    if (!isOnlyWriter) this.#forgetOlderThan(namespace, MAX_AGE_MS);
    const reason = add(await this.#total(namespace), change, quota);
    if (reason === undefined || isOnlyWriter) return reason;
    // Other processes may have removed values since the last count.
    this.#forgetOlderThan(namespace, MIN_AGE_MS);
    return add(await this.#total(namespace), change, quota);
  }

  /** Subtracts the size of removed values, or the space that a failed change had reserved. */
  async undo(namespace: readonly string[], change: Change): Promise<void> {
    const total = await this.#totals.get(JSON.stringify(namespace))?.total;
    // A later count no longer includes the change.
    if (total === undefined) return;
    total.bytes -= change.bytes;
    total.keys -= change.keys;
  }

  /** Drops the totals of all namespaces that begin with these parts. */
  forget(...begin: readonly string[]): void {
    const start = JSON.stringify(begin).slice(0, -1);
    for (const name of this.#totals.keys()) {
      if (name.startsWith(`${start},`) || name === `${start}]`) this.#totals.delete(name);
    }
  }

  #forgetOlderThan(namespace: readonly string[], milliseconds: number): void {
    const name = JSON.stringify(namespace);
    const at = this.#totals.get(name)?.at;
    if (at !== undefined && this.#options.now() - at >= milliseconds) this.#totals.delete(name);
  }

  #total(namespace: readonly string[]): Promise<Total> {
    const name = JSON.stringify(namespace);
    const known = this.#totals.get(name);
    if (known !== undefined) return known.total;
    const total = this.#options.count(namespace).then((found) => {
      counted.at = this.#options.now();
      return { ...found };
    });
    const counted: Counted = { total };
    total.catch(() => this.#totals.delete(name));
    this.#totals.set(name, counted);
    return total;
  }
}

/** Adds a change to a total. If the quota does not allow it, returns the reason. */
function add(total: Total, change: Change, { bytes, keys }: KvQuota): string | undefined {
  if (change.keys > 0 && total.keys + change.keys > keys) {
    return `Delete some keys: this store can have at most ${keys}`;
  }
  if (change.bytes > 0 && total.bytes + change.bytes > bytes) {
    return `Delete some values: this store can hold at most ${formatBytes(bytes)}`;
  }
  total.bytes += change.bytes;
  total.keys += change.keys;
  return undefined;
}

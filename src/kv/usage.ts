/** @module The size of each namespace, counted once and then kept up to date. */
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

export class Usage {
  readonly #totals = new Map<string, Promise<Total>>();

  readonly #quota: KvQuota;
  readonly #count: (namespace: readonly string[]) => Promise<Change>;

  constructor(quota: KvQuota, count: (namespace: readonly string[]) => Promise<Change>) {
    this.#quota = quota;
    this.#count = count;
  }

  /** Returns the current size of a namespace. */
  async of(namespace: readonly string[]): Promise<Change> {
    return { ...await this.#total(namespace) };
  }

  /** Reserves space before a write. If there is not enough space, returns the reason. */
  async reserve(namespace: readonly string[], change: Change): Promise<string | undefined> {
    const total = await this.#total(namespace);
    const { bytes, keys } = this.#quota;
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

  /** Subtracts the size of removed values, or the space that a failed change had reserved. */
  async undo(namespace: readonly string[], change: Change): Promise<void> {
    const total = await this.#total(namespace);
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

  #total(namespace: readonly string[]): Promise<Total> {
    const name = JSON.stringify(namespace);
    let total = this.#totals.get(name);
    if (total === undefined) {
      total = this.#count(namespace).then((counted) => ({ ...counted }));
      total.catch(() => this.#totals.delete(name));
      this.#totals.set(name, total);
    }
    return total;
  }
}

/**
 * @module Recently used heads (the small records of keys) in memory, for a store without other
 * writers. Reading a head from memory needs no transaction.
 */
import { RecentMap } from "../lib/memo.ts";
import type { Head } from "./records.ts";

/** The entry under a key, expired or not. */
export interface StoredHead {
  /** Null if the key does not exist. */
  readonly versionstamp: string | null;
  readonly stored: Head | undefined;
}

/**
 * Maximum number of heads in each of the map's two generations. If every value is 1 KiB, the values
 * of both take 8 MiB, and everything together takes about 16 MiB.
 */
const MAX_KNOWN = 4096;

export class KnownHeads {
  #known = new RecentMap<StoredHead>(MAX_KNOWN);
  readonly #reading = new Map<string, Promise<StoredHead>>();

  /**
   * Reads the head of a key by name. Concurrent reads of a key share one `load`. A read that
   * started before a change was complete is not shared with later reads.
   */
  read(name: string, load: () => Promise<StoredHead>): StoredHead | Promise<StoredHead> {
    return this.#known.get(name) ?? this.#reading.get(name) ?? this.#load(name, load);
  }

  /** Records the result of a change after its commit. */
  note(name: string, head: StoredHead): void {
    this.#reading.delete(name);
    this.#known.set(name, head);
  }

  /** Drops a key whose stored state is unknown. */
  forget(name: string): void {
    this.#reading.delete(name);
    this.#known.delete(name);
  }

  /** Drops all cached heads, and no longer shares reads in progress. */
  clear(): void {
    this.#reading.clear();
    this.#known = new RecentMap(MAX_KNOWN);
  }

  #load(name: string, load: () => Promise<StoredHead>): Promise<StoredHead> {
    const reading: Promise<StoredHead> = load().then((head) => {
      if (this.#reading.get(name) === reading) this.note(name, head);
      return head;
    }, (error) => {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
      throw error;
    });
    this.#reading.set(name, reading);
    return reading;
  }
}

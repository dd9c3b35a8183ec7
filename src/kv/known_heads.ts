/**
 * Recently read or written heads, for a store without other writers: reading one of them needs no
 * transaction.
 *
 * @module
 */
import { RecentMap } from "../lib/memo.ts";
import type { Head } from "./records.ts";

/** The entry under a key, expired or not. */
export interface StoredHead {
  /** Null if there is nothing. */
  readonly versionstamp: string | null;
  readonly stored: Head | undefined;
}

/** Heads in each of the map's two generations: 16 MiB where all hold a value of 1 KiB. */
const MAX_KNOWN = 4096;

export class KnownHeads {
  #known = new RecentMap<StoredHead>(MAX_KNOWN);
  readonly #reading = new Map<string, Promise<StoredHead>>();

  /**
   * The head of a key by its name. Reads of one key at the same time share one `load`;
   * a read that began before a change ended shares nothing with those after it.
   */
  read(name: string, load: () => Promise<StoredHead>): StoredHead | Promise<StoredHead> {
    return this.#known.get(name) ?? this.#reading.get(name) ?? this.#load(name, load);
  }

  /** Notes what a change has stored, once it is committed. */
  note(name: string, head: StoredHead): void {
    this.#reading.delete(name);
    this.#known.set(name, head);
  }

  /** Forgets a key whose stored state is unknown. */
  forget(name: string): void {
    this.#reading.delete(name);
    this.#known.delete(name);
  }

  /** Forgets everything. */
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

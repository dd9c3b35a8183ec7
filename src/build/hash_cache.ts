/**
 * @module Hashes from an earlier run. A hash is valid while the file's size and times are
 * unchanged.
 */
import { relative, sep } from "node:path";
import * as z from "zod";
import { readCheckoutCache, writeCheckoutCache } from "../config/checkout_cache.ts";
import { MAX_FILES } from "../contract/deployment_files.ts";
import type { Clock } from "../lib/clock.ts";
import { isSha256 } from "../lib/hash.ts";

const NAME = "hashes.json";

/**
 * Time in milliseconds during which a file that has just changed can change again without getting
 * new timestamps. The timestamps of some file systems have a resolution of only two seconds.
 */
const UNSETTLED_MS = 2000;

/** Minimum number of files for a cache. Hashing fewer files takes too little time to notice. */
const MIN_FILES = 200;

const savedHashes = z.strictObject({
  version: z.literal(1),
  /**
   * Paths relative to the project's root. The state and the hash of each file are in the same
   * order.
   */
  names: z.array(z.string()).max(MAX_FILES),
  states: z.array(z.string()),
  hashes: z.array(z.string()),
}).refine(({ names, states, hashes }) =>
  states.length === names.length && hashes.length === names.length && hashes.every(isSha256)
);

/** The folder of the hash cache, and the clock for comparing file times. */
export interface HashCachePlace {
  /** Absolute path of the project's root. */
  readonly root: string;
  readonly now: Clock;
}

/**
 * Returns a string that changes when a file is written to or replaced. Deno reports `mtime` in
 * milliseconds and `ctime` in seconds. On Windows, there is neither `ctime` nor `ino`.
 */
function stateOf({ size, mtime, ctime, ino }: Deno.FileInfo): string {
  return `${size} ${mtime?.getTime()} ${ctime?.getTime()} ${ino}`;
}

interface Hashed {
  readonly state: string;
  readonly sha256: string;
}

export class HashCache {
  readonly #met = new Map<string, Hashed>();
  readonly #startedAt: number;
  #isNew = false;

  readonly #place: HashCachePlace;
  readonly #saved: ReadonlyMap<string, Hashed>;

  private constructor(place: HashCachePlace, saved: ReadonlyMap<string, Hashed>) {
    this.#place = place;
    this.#saved = saved;
    this.#startedAt = place.now();
  }

  /** Reads the stored cache. It is empty if the file is missing or unusable. */
  static async open(place: HashCachePlace): Promise<HashCache> {
    const saved = await readCheckoutCache(place.root, NAME, savedHashes);
    const known = new Map<string, Hashed>();
    saved?.names.forEach((name, index) =>
      known.set(name, { state: saved.states[index]!, sha256: saved.hashes[index]! })
    );
    return new HashCache(place, known);
  }

  /** Returns the hash of a file if the file has not changed since the hash was computed. */
  find(path: string, info: Deno.FileInfo): string | undefined {
    const name = this.#nameOf(path);
    const known = this.#saved.get(name);
    if (known === undefined || known.state !== stateOf(info)) return undefined;
    this.#met.set(name, known);
    return known.sha256;
  }

  /**
   * Stores the hash of a file, unless the file has just changed. `info` must be read before the
   * content.
   */
  add(path: string, info: Deno.FileInfo, sha256: string): void {
    const changedAt = Math.max(info.mtime?.getTime() ?? Infinity, info.ctime?.getTime() ?? 0);
    if (changedAt > this.#startedAt - UNSETTLED_MS) return;
    this.#met.set(this.#nameOf(path), { state: stateOf(info), sha256 });
    this.#isNew = true;
  }

  /** Writes the entries that this run has found or added, and drops all other entries. */
  async save(): Promise<void> {
    const { size } = this.#met;
    if (!this.#isNew || size < MIN_FILES || size > MAX_FILES) return;
    const files = [...this.#met.values()];
    await writeCheckoutCache(this.#place.root, NAME, {
      version: 1,
      names: [...this.#met.keys()],
      states: files.map(({ state }) => state),
      hashes: files.map(({ sha256 }) => sha256),
    });
  }

  #nameOf(path: string): string {
    const start = this.#place.root + sep;
    return path.startsWith(start) ? path.slice(start.length) : relative(this.#place.root, path);
  }
}

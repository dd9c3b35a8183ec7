/**
 * Remembers which blobs were verified against their hashes, as long as their files do not change.
 *
 * @module
 */
import type { Steps } from "../../../lib/next_turn.ts";
import type { LookOptions } from "./blob_store.ts";

/** Maximum number of blobs to remember. Beyond it, all of them are forgotten. */
const MAX_REMEMBERED = 1_000_000;

const FILES_PER_STEP = 32;

/**
 * How long a check of a file is valid, in milliseconds. A deployment's files are looked up when the
 * deployment is created, and again, within seconds, when it is activated.
 */
const LOOK_MS = 5000;

/** A file that had its blob's content when it was last read. */
interface Verified {
  readonly size: number;
  readonly mtime: number | undefined;
  readonly ino: number | null;
  /** When the file was last checked, according to the monotonic clock. */
  lookedAt: number;
}

/** Returns whether a file has been neither replaced nor modified since it was verified. */
const isUnchanged = (verified: Verified, { size, mtime, ino }: Deno.FileInfo): boolean =>
  verified.size === size && verified.ino === ino && verified.mtime === mtime?.getTime();

function statNow(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

export class VerifiedBlobs {
  readonly #verified = new Map<string, Verified>();

  readonly #pathOf: (sha256: string) => string;
  readonly #monotonic: (() => number) | undefined;

  /** Without `monotonic`, every lookup checks the file, even if `lately` is set. */
  constructor(pathOf: (sha256: string) => string, monotonic?: () => number) {
    this.#pathOf = pathOf;
    this.#monotonic = monotonic;
  }

  add(sha256: string, { size, mtime, ino }: Deno.FileInfo): void {
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.clear();
    this.#verified.set(sha256, { size, mtime: mtime?.getTime(), ino, lookedAt: -Infinity });
  }

  delete(sha256: string): void {
    this.#verified.delete(sha256);
  }

  has(sha256: string, info: Deno.FileInfo): boolean {
    const verified = this.#verified.get(sha256);
    return verified !== undefined && isUnchanged(verified, info);
  }

  /**
   * Adds to `sizes` the sizes of the blobs in `hashes` that are verified and unchanged. Returns the
   * other hashes. The system has these files cached, so a synchronous lookup takes a tenth of the
   * time of an asynchronous one.
   */
  *lookAt(
    hashes: Iterable<string>,
    sizes: Map<string, number | undefined>,
    { lately = false }: LookOptions = {},
  ): Steps<string[]> {
    const others: string[] = [];
    const now = this.#monotonic?.() ?? Infinity;
    const since = lately ? now - LOOK_MS : Infinity;
    let looked = 0;
    for (const sha256 of hashes) {
      const verified = this.#verified.get(sha256);
      if (verified !== undefined && this.#isThere(sha256, { verified, now, since })) {
        sizes.set(sha256, verified.size);
      } else others.push(sha256);
      if (++looked % FILES_PER_STEP === 0) yield;
    }
    return others;
  }

  #isThere(
    sha256: string,
    { verified, now, since }: {
      readonly verified: Verified;
      readonly now: number;
      readonly since: number;
    },
  ): boolean {
    if (verified.lookedAt > since) return true;
    const info = statNow(this.#pathOf(sha256));
    if (info === undefined || !isUnchanged(verified, info)) return false;
    if (this.#monotonic !== undefined) verified.lookedAt = now;
    return true;
  }
}

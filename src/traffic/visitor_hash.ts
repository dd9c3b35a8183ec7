/** @module Creates visitor pseudonyms that are valid for one day. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** Length of a day's salt, in bytes. */
export const SALT_BYTES = 16;

/** Returns the number of days since the Unix epoch, in UTC. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** Mixes a string into a 32-bit state: the body of MurmurHash3, one UTF-16 code unit at a time. */
function mix(text: string, state: number): number {
  let hash = state;
  for (let at = 0; at < text.length; at++) {
    let unit = Math.imul(text.charCodeAt(at), 0xcc9e2d51);
    unit = unit << 15 | unit >>> 17;
    hash ^= Math.imul(unit, 0x1b873593);
    hash = hash << 13 | hash >>> 19;
    hash = Math.imul(hash, 5) + 0xe6546b64 | 0;
  }
  return hash ^ text.length;
}

/**
 * Applies MurmurHash3's finalizer, so that every bit of the result depends on every bit of the
 * state.
 */
function finish(state: number): number {
  let hash = state;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ hash >>> 16) >>> 0;
}

/** Hashes visitors by IP address and browser, with a day's salt. */
export class VisitorHash {
  readonly #seeds: readonly number[];

  /** @param salt `SALT_BYTES` random bytes. */
  constructor(salt: Uint8Array) {
    const view = new DataView(salt.buffer, salt.byteOffset, salt.byteLength);
    this.#seeds = [0, 4, 8, 12].map((at) => view.getInt32(at));
  }

  /** Computes the part of a visitor's hashes that depends on the browser. */
  browser(userAgent: string): { readonly first: number; readonly second: number } {
    return { first: mix(userAgent, this.#seeds[0]!), second: mix(userAgent, this.#seeds[1]!) };
  }

  first(address: string, browser: { readonly first: number }): number {
    return finish(mix(address, browser.first ^ this.#seeds[2]!));
  }

  second(address: string, browser: { readonly second: number }): number {
    return finish(mix(address, browser.second ^ this.#seeds[3]!));
  }
}

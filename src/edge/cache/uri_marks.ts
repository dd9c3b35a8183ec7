/**
 * @module A set of URIs with a fixed size. It contains every URI that was added, but can also seem
 * to contain others.
 */
import type { ResourceUri } from "../../feed/mod.ts";
import { sha256Hex } from "../../lib/hash.ts";

/**
 * Number of leading hexadecimal digits of a hash that select a bit. The million bits take 128 KiB.
 */
const DIGITS = 5;

function markOf({ deploymentId, host, path, rawQuery }: ResourceUri): number {
  return parseInt(sha256Hex(`${deploymentId} ${host} ${path}?${rawQuery}`).slice(0, DIGITS), 16);
}

export class UriMarks {
  readonly #bits = new Uint8Array(16 ** DIGITS / 8);

  add(uri: ResourceUri): void {
    const mark = markOf(uri);
    this.#bits[mark >> 3]! |= 1 << (mark & 7);
  }

  has(uri: ResourceUri): boolean {
    const mark = markOf(uri);
    return (this.#bits[mark >> 3]! & (1 << (mark & 7))) !== 0;
  }
}

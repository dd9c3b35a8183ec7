/**
 * Checksums of streamed content: MD5 for the ETag, and any other checksums that a client requests.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

interface Sum {
  update(chunk: Uint8Array): void;
  /** Returns the digest in base64. */
  digest(): string;
}

const hashSum = (algorithm: string): Sum => {
  const hash = createHash(algorithm);
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest("base64") };
};

/** CRC-32C (Castagnoli), reflected. */
const CASTAGNOLI = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0x82f63b78 : 0);
  return value >>> 0;
});

function crc32c(chunk: Uint8Array, before: number): number {
  let value = ~before;
  for (const byte of chunk) value = CASTAGNOLI[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return ~value >>> 0;
}

function crcSum(next: (chunk: Uint8Array, before: number) => number): Sum {
  let value = 0;
  return {
    update: (chunk) => void (value = next(chunk, value)),
    digest() {
      const bytes = Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
      return btoa(String.fromCharCode(...bytes));
    },
  };
}

/**
 * CRC-64/NVME, reflected. The value is split into halves, because numbers are exact only to 53
 * bits.
 */
const NVME = (() => {
  const [high, low] = [new Uint32Array(256), new Uint32Array(256)];
  for (let index = 0; index < 256; index++) {
    let value = BigInt(index);
    for (let bit = 0; bit < 8; bit++) {
      value = (value >> 1n) ^ (value & 1n ? 0x9a6c9329ac4bc9b5n : 0n);
    }
    high[index] = Number(value >> 32n);
    low[index] = Number(value & 0xffffffffn);
  }
  return { high, low };
})();

function crc64Sum(): Sum {
  let [high, low] = [-1, -1];
  return {
    update(chunk) {
      for (const byte of chunk) {
        const index = (low ^ byte) & 0xff;
        low = (low >>> 8 | high << 24) ^ NVME.low[index]!;
        high = (high >>> 8) ^ NVME.high[index]!;
      }
    },
    digest() {
      const bytes = [~high, ~low].flatMap((half) => [half >>> 24, half >>> 16, half >>> 8, half]);
      return btoa(String.fromCharCode(...bytes.map((byte) => byte & 0xff)));
    },
  };
}

const SUMS = {
  crc32: () => crcSum(crc32),
  crc32c: () => crcSum(crc32c),
  crc64nvme: crc64Sum,
  sha1: () => hashSum("sha1"),
  sha256: () => hashSum("sha256"),
  md5: () => hashSum("md5"),
} satisfies Record<string, () => Sum>;

/** Algorithms that clients can use in `x-amz-checksum-…`. */
export const ALGORITHMS = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"] as const;
export type Algorithm = keyof typeof SUMS;

/** Computes checksums of streamed content. `md5` is always included. */
export class Checksums {
  readonly #sums: ReadonlyMap<Algorithm, Sum>;

  constructor(algorithms: Iterable<Algorithm>) {
    this.#sums = new Map([...new Set<Algorithm>(["md5", ...algorithms])].map((name) => [
      name,
      SUMS[name](),
    ]));
  }

  update(chunk: Uint8Array): void {
    for (const sum of this.#sums.values()) sum.update(chunk);
  }

  /** Returns the digests in base64, by algorithm. Can be called only once. */
  digests(): ReadonlyMap<Algorithm, string> {
    return new Map([...this.#sums].map(([name, sum]) => [name, sum.digest()]));
  }
}

/** Converts a digest from base64 to hexadecimal digits. */
export const hexOf = (base64: string): string =>
  Array.from(atob(base64), (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");

/** Checks whether bytes are a public key on P-256. Pure. @module */

/** The field and the curve y² = x³ - 3x + b (NIST SP 800-186, 3.2.1.3). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** First byte of an uncompressed point (SEC 1, 2.3.3). */
const UNCOMPRESSED = 4;
const COORDINATE_BYTES = 32;

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${bytes.toHex()}`);

/**
 * Returns whether an uncompressed point is on the curve (SEC 1, 3.2.2.1). Check this before passing
 * a point to any library, because Deno's `computeSecret()` crashes the process if the point is
 * invalid.
 */
export function isP256Point(bytes: Uint8Array): boolean {
  if (bytes.byteLength !== 1 + 2 * COORDINATE_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  const x = toNumber(bytes.subarray(1, 1 + COORDINATE_BYTES));
  const y = toNumber(bytes.subarray(1 + COORDINATE_BYTES));
  return x < P && y < P && (y * y - (x * x * x - 3n * x + B)) % P === 0n;
}

/** @module The CRC-32C (Castagnoli) checksum used in PostgreSQL's log. */

/** Reversed polynomial. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value >>> 1 ^ (value & 1 ? POLYNOMIAL : 0);
  return value;
});

/** @param before checksum of the preceding bytes */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  for (let at = 0; at < bytes.byteLength; at++) {
    value = TABLE[(value ^ bytes[at]!) & 0xff]! ^ value >>> 8;
  }
  return ~value >>> 0;
}

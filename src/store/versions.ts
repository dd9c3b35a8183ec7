/**
 * Converts record versions to and from Deno KV's versionstamp format. Versions are compared as
 * strings. Pure.
 *
 * @module
 */

/**
 * Deno KV's versionstamps contain an 8-byte version and a position in a batch. The position is
 * unused here.
 */
const PLACE = "0000";
const DIGITS = 16;
const STAMP = /^[0-9a-f]{20}$/;

/** A version that no record ever has. */
const NO_VERSION = -1n;

/** Returns the versionstamp for a version, which must be at least 0. */
export function versionstampOf(version: bigint): string {
  return version.toString(16).padStart(DIGITS, "0") + PLACE;
}

/**
 * Parses a versionstamp. A versionstamp from a different kind of store becomes a version that no
 * record has.
 * @throws {TypeError}
 */
export function versionOf(versionstamp: string): bigint {
  if (!STAMP.test(versionstamp)) {
    throw new TypeError(
      `Cannot check the versionstamp "${versionstamp}": it must have 20 hex digits`,
    );
  }
  const version = BigInt.asIntN(64, BigInt(`0x${versionstamp.slice(0, DIGITS)}`));
  return versionstamp.endsWith(PLACE) && version >= 0n ? version : NO_VERSION;
}

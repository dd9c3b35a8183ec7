/**
 * The keys that sign releases. A program takes keys from nowhere else: no flag, variable or
 * compiler option (docs/decisions/cli.md).
 *
 * @module
 */

/**
 * Ed25519 public keys (RFC 8032, 32 bytes in base64). A release is trusted if one of them
 * signed it. To replace a key, release once with both, and then without the old one.
 */
export const TRUSTED_KEYS: readonly string[] = ["4cN9Othv7FliVcyVg2Vzev18DR+DvZ8WLwat8a7ClAM="];

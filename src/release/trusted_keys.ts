/**
 * @module The keys that sign releases. There is no other source of keys: no flag, variable or
 * compiler option (docs/decisions/cli.md).
 */

/**
 * Ed25519 public keys (RFC 8032, 32 bytes in base64). A release is trusted if one of them signed
 * it. To replace a key, publish a release with both keys, then one without the old key.
 */
export const TRUSTED_KEYS: readonly string[] = ["4cN9Othv7FliVcyVg2Vzev18DR+DvZ8WLwat8a7ClAM="];

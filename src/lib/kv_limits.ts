/** @module The limits of a key-value namespace. */

/** Maximum length of a key, in UTF-8 bytes. */
export const MAX_KEY_BYTES = 512;

/** Returns whether a key or key prefix is short enough and contains no lone surrogates. */
export function fitsKey(text: string): boolean {
  return text.isWellFormed() && new TextEncoder().encode(text).byteLength <= MAX_KEY_BYTES;
}

/** Maximum size of a value: 512 KiB, so it can be written in one commit. */
export const MAX_VALUE_BYTES = 512 * 1024;

/** Maximum length of a content type, in characters. */
export const MAX_TYPE_LENGTH = 128;

/** Maximum time until a value expires, in seconds: one year. */
export const MAX_TTL_SECONDS = 31_536_000;

/** Default and maximum number of keys per page of a list. */
export const DEFAULT_LIST_LIMIT = 100;
export const MAX_LIST_LIMIT = 1000;

/** Limits of one namespace. */
export interface KvQuota {
  readonly bytes: number;
  readonly keys: number;
}

export const DEFAULT_QUOTA: KvQuota = { bytes: 256 * 1024 * 1024, keys: 1_000_000 };

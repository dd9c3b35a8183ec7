/**
 * The limits of a blob store that its API does not mention.
 *
 * @module
 */
import { fitsObjectKey, hasDotSegment } from "../../contract/blob_store.ts";

/** Minimum size of every part except the last, in bytes, as in S3. */
export const MIN_PART_BYTES = 5 * 1024 ** 2;

/** Maximum number of parts in an upload. */
export const MAX_PARTS = 10_000;

/** Maximum total length of an object's metadata (names and values), in bytes. */
export const MAX_METADATA_BYTES = 2048;

/**
 * Maximum length of an object's type and of the other header fields that its responses repeat, in
 * bytes.
 */
export const MAX_FIELDS_BYTES = 8192;

/** Maximum number of keys per page in a list. */
export const MAX_LIST = 1000;

/** Maximum number of open uploads in one environment. */
export const MAX_UPLOADS = 1000;

/** Maximum number of access keys per project. */
export const MAX_ACCESS_KEYS = 50;

/** Idle time after which an upload is removed, in milliseconds. */
export const KEEP_UPLOAD_MS = 7 * 24 * 60 * 60_000;

/** Returns whether a string is a valid object key. */
export function isObjectKey(text: string): boolean {
  return text !== "" && fitsObjectKey(text) && !hasDotSegment(text);
}

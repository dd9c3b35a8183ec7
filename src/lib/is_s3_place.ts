/**
 * Tells addresses of object storages from folders.
 *
 * @module
 */

/** Whether a place of blobs is an address of an object storage, and not a folder. */
export function isS3Place(place: string): boolean {
  return /^s3:\/\//i.test(place);
}

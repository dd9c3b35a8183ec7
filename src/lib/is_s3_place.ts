/**
 * Tells addresses of object storages and servers from folders.
 *
 * @module
 */

/** Whether a place of blobs is an address of object storage, and not a folder. */
export function isS3Place(place: string): boolean {
  return /^s3:\/\//i.test(place);
}

/** Whether a place of backups is a server with SFTP. */
export function isSftpPlace(place: string): boolean {
  return /^sftp:\/\//i.test(place);
}

/** Whether a place of backups is an address, and not a folder. */
export function isRemotePlace(place: string): boolean {
  return isS3Place(place) || isSftpPlace(place);
}

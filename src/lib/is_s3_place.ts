/** @module Distinguishes folders from the addresses of object storage and servers. */

/** Returns whether a blob location is the address of object storage rather than a folder. */
export function isS3Place(place: string): boolean {
  return /^s3:\/\//i.test(place);
}

/** Returns whether a backup location is the address of an SFTP server. */
export function isSftpPlace(place: string): boolean {
  return /^sftp:\/\//i.test(place);
}

/** Returns whether a backup location is an address rather than a folder. */
export function isRemotePlace(place: string): boolean {
  return isS3Place(place) || isSftpPlace(place);
}

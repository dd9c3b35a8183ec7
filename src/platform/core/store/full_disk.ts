/** Recognizes errors caused by a full disk. @module */

/** Messages from Linux ("No space left on device" and "Disk quota exceeded") and from SQLite. */
const FULL_DISK = /os error (28|122)\b|database or disk is full/;

export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && FULL_DISK.test(error.message);
}

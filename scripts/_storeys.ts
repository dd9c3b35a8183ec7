/**
 * The inner rooms of large rooms as data: each list runs from top to bottom,
 * and a file imports only what stands below its own inner room.
 *
 * @module
 */

/**
 * For a folder its inner rooms, the top one first: folders or single files by
 * their path below it, and `.` for all its other files. Another inner room is
 * imported by its `mod.ts`.
 */
export const STOREYS: Readonly<Record<string, readonly string[]>> = {
  "src/edge": [
    ".",
    "dynamic",
    "site",
    "compute",
    "isr",
    "pipeline",
    "proxy",
    "cache",
    "site_rules",
    "static",
    "blobs",
    "rate_limit",
    "request",
    "geo",
    "response",
    "ranges",
    "messages",
  ],
};

/**
 * The default `Cache-Control` of files.
 *
 * @module
 */
import { HASHED_FOLDERS, type HashedFolder } from "../../manifest/mod.ts";

/** Clients revalidate each time, usually with a 304, so that a deploy shows at once. */
export const REVALIDATE = "public, max-age=0, must-revalidate";

/** One year, the longest time that HTTP caches commonly accept. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

const hashedFolder = ({ path, except }: HashedFolder): string =>
  except === undefined ? path : `${path}(?!${except})`;

/**
 * Matches a path inside a folder whose file names contain a hash; the folder names
 * need no escaping.
 */
const HASHED_FOLDER = new RegExp(`(?:^|/)(?:${HASHED_FOLDERS.map(hashedFolder).join("|")})`);

/** Matches a name whose stem ends with a hash: at least eight characters, with a digit or capital. */
const HASHED_NAME = /(?:^|[/._-])(?=[a-z_-]*[A-Z0-9][\w-]*\.[a-z0-9.]+$)[\w-]{8,}\.[a-z0-9.]+$/;

/**
 * Returns the default `Cache-Control` of a file, by its path relative to its
 * layer. It is immutable only where both folder and name indicate it: a wrong
 * "immutable" cannot be withdrawn, a missing one costs a 304.
 */
export function defaultCacheControl(path: string): string {
  return HASHED_FOLDER.test(path) && HASHED_NAME.test(path) ? IMMUTABLE : REVALIDATE;
}

/**
 * The `Cache-Control` that a file gets where no rule says otherwise.
 *
 * @module
 */
import { HASHED_FOLDERS, type HashedFolder } from "../../manifest/mod.ts";

/** Asks the platform each time, which mostly answers 304: a deploy shows at once. */
export const REVALIDATE = "public, max-age=0, must-revalidate";

/** One year, the most that HTTP caches agree on. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

const hashedFolder = ({ path, except }: HashedFolder): string =>
  except === undefined ? path : `${path}(?!${except})`;

/** A path inside a folder whose files are named by their content; the names are plain text. */
const HASHED_FOLDER = new RegExp(`(?:^|/)(?:${HASHED_FOLDERS.map(hashedFolder).join("|")})`);

/** A stem that ends with at least eight characters of a hash: a digit or capital among them. */
const HASHED_NAME = /(?:^|[/._-])(?=[a-z_-]*[A-Z0-9][\w-]*\.[a-z0-9.]+$)[\w-]{8,}\.[a-z0-9.]+$/;

/**
 * Returns the default `Cache-Control` of a file, by its path relative to its
 * layer. Immutable only where folder and name both say so: a wrong "immutable"
 * can not be taken back, a missing one costs a 304.
 */
export function defaultCacheControl(path: string): string {
  return HASHED_FOLDER.test(path) && HASHED_NAME.test(path) ? IMMUTABLE : REVALIDATE;
}

/**
 * The `Cache-Control` that a file gets where no rule says otherwise.
 *
 * @module
 */

/** Asks the platform each time, which mostly answers 304: a deploy shows at once. */
export const REVALIDATE = "public, max-age=0, must-revalidate";

/** One year, the most that HTTP caches agree on. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * Folders whose files are named by their content, as the frameworks document
 * it. Nuxt keeps mutable build records below `_nuxt/builds/`.
 */
const HASHED_FOLDER = /(?:^|\/)(?:_astro|_app\/immutable|_nuxt(?!\/builds\/))\//;

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

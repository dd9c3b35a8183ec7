/**
 * @module The default `Cache-Control` of files, which depends on whether the name contains a hash
 * of the content.
 */
import { HASHED_FOLDERS, type HashedFolder } from "../../manifest/mod.ts";

/** Clients revalidate each time, usually with a 304, so a new deployment is visible immediately. */
export const REVALIDATE = "public, max-age=0, must-revalidate";

/** One year, the longest time that HTTP caches commonly accept. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

const hashedFolder = ({ path, except }: HashedFolder): string =>
  except === undefined ? path : `${path}(?!${except})`;

/**
 * Matches a path inside a folder whose file names contain a hash. The folder names need no
 * escaping.
 */
const HASHED_FOLDER = new RegExp(`(?:^|/)(?:${HASHED_FOLDERS.map(hashedFolder).join("|")})`);

/**
 * Matches a name whose stem ends with a hash of at least eight characters that include a digit or
 * capital letter.
 */
const HASHED_NAME = /(?:^|[/._-])(?=[a-z_-]*[A-Z0-9][\w-]*\.[a-z0-9.]+$)[\w-]{8,}\.[a-z0-9.]+$/;

/**
 * Returns the default `Cache-Control` of a file, based on its path relative to its layer. The file
 * is immutable only if both its folder and its name indicate this. A wrong "immutable" cannot be
 * withdrawn, while a missing one costs only a 304.
 */
export function defaultCacheControl(path: string): string {
  return HASHED_FOLDER.test(path) && HASHED_NAME.test(path) ? IMMUTABLE : REVALIDATE;
}

/** Matches any path inside a folder that only a framework writes to. */
const FRAMEWORK_FOLDER = new RegExp(
  `(?:^|/)(?:${HASHED_FOLDERS.map(({ path }) => path).join("|")})`,
);

/** Folders where bundlers write assets of every type, next to the author's files. */
const ASSET_FOLDER = /(?:^|\/)(?:assets|static|media)\//;

/** Code that pages load. A hash in its name is sufficient in any folder. */
const CODE = /\.(?:m?js|css|wasm)(?:\.map)?$/;

/**
 * Code whose hash happens to have only lowercase letters. This applies to 1 in 750 of Vite's
 * eight-character hashes.
 */
const LETTERS_ONLY = /[.-][a-z_-]{8}\.(?:m?js|css)(?:\.map)?$/;

const DOCUMENT = /\.x?html?$/i;

/**
 * Returns whether earlier deployments still serve a path that the live deployment lacks. This
 * applies to all files in folders that only a framework writes to, and to code whose name ends with
 * a hash. Below `assets/`, `static/` and `media/`, it applies to any file whose name ends with a
 * hash. It never applies to documents. A false match does no harm, because the live deployment's
 * files take precedence.
 */
export function isLastingAsset(path: string): boolean {
  if (DOCUMENT.test(path)) return false;
  if (FRAMEWORK_FOLDER.test(path)) return true;
  if (HASHED_NAME.test(path)) return CODE.test(path) || ASSET_FOLDER.test(path);
  return LETTERS_ONLY.test(path);
}

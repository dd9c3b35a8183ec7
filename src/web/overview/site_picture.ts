/** @module Chooses the file in a deployment that becomes the site's picture. Pure. */

/** Maximum size of a home page, in bytes. */
export const MAX_START_PAGE = 512 * 1024;
/** Maximum size of a picture, in bytes. */
export const MAX_PICTURE = 512 * 1024;
/** Maximum number of candidate files that are taken from a home page. */
const MOST_NAMED = 16;
/**
 * Maximum number of tags that are checked on a home page, and maximum length of a tag in
 * characters.
 */
const MOST_TAGS = 1000;
const LONGEST_TAG = 2000;

/** Usual paths of a site's icon, used if the page does not specify one. */
const USUAL = ["favicon.svg", "icon.svg", "apple-touch-icon.png", "favicon.png", "favicon.ico"];

const TAG_START = /<(?:link|meta)\b/gi;
const ATTRIBUTE = /\b(rel|href|property|name|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/**
 * Yields the first tags on a page that can refer to a file. The time that this takes is linear in
 * the page's length.
 */
function* tagsOf(page: string): Generator<string> {
  let left = MOST_TAGS;
  for (const { index } of page.matchAll(TAG_START)) {
    if (left-- === 0) return;
    const start = page.slice(index, index + LONGEST_TAG);
    const end = start.indexOf(">");
    if (end >= 0) yield start.slice(0, end + 1);
  }
}

function attributesOf(tag: string): ReadonlyMap<string, string> {
  return new Map(
    [...tag.matchAll(ATTRIBUTE)].map(([, name, ...values]) => [
      name!.toLowerCase(),
      values.find((value) => value !== undefined) ?? "",
    ]),
  );
}

/** Returns the URL of the picture in a tag, and the tag's rank. A lower rank is better. */
function named(tag: string): { readonly address: string; readonly rank: number } | undefined {
  const attributes = attributesOf(tag);
  const rel = (attributes.get("rel") ?? "").toLowerCase().split(/\s+/);
  const property = (attributes.get("property") ?? attributes.get("name") ?? "").toLowerCase();
  const address = attributes.get("href") ?? attributes.get("content");
  if (address === undefined) return undefined;
  if (rel.includes("apple-touch-icon")) return { address, rank: 0 };
  if (rel.includes("icon")) return { address, rank: 1 };
  return property === "og:image" ? { address, rank: 2 } : undefined;
}

/**
 * Returns the path of a URL on a home page. Ignores the URL's host, because a site has several
 * hosts. A file that the deployment does not contain is ignored later.
 */
function pathOf(address: string): string | undefined {
  const base = "http://start.invalid/";
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  try {
    return decodeURIComponent(url.pathname).slice(1);
  } catch {
    return undefined;
  }
}

/** Returns the possible paths of the site's picture, best first. */
export function picturePaths(startPage: string): readonly string[] {
  const found = tagsOf(startPage).map(named)
    .filter((each) => each !== undefined).take(MOST_NAMED).toArray();
  const paths = found.toSorted((a, b) => a.rank - b.rank)
    .map(({ address }) => pathOf(address)).filter((path) => path !== undefined);
  return [...new Set([...paths, ...USUAL])];
}

const startsWith = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));

/**
 * Returns a picture's type according to its first bytes; `undefined` if browsers cannot show the
 * picture.
 */
export function pictureType(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, 0, "\x89PNG\r\n")) return "image/png";
  if (startsWith(bytes, 0, "\xff\xd8\xff")) return "image/jpeg";
  if (startsWith(bytes, 0, "GIF8")) return "image/gif";
  if (startsWith(bytes, 0, "RIFF") && startsWith(bytes, 8, "WEBP")) return "image/webp";
  if (startsWith(bytes, 4, "ftypavif")) return "image/avif";
  if (startsWith(bytes, 0, "\0\0\x01\0")) return "image/x-icon";
  const head = new TextDecoder().decode(bytes.subarray(0, 1024));
  return /^<svg[\s>]/.test(afterProlog(head)) ? "image/svg+xml" : undefined;
}

/** Returns the part of an XML document after the declaration and the comments at the start. */
function afterProlog(text: string): string {
  let rest = text.trimStart();
  for (const [start, end] of [["<?xml", "?>"], ["<!--", "-->"]] as const) {
    while (rest.startsWith(start)) {
      const at = rest.indexOf(end, start.length);
      if (at < 0) return "";
      rest = rest.slice(at + end.length).trimStart();
    }
  }
  return rest;
}

/** Draws a letter on a colored background, for a site without a picture. */
export function letterPicture(name: string): string {
  const letter = (/[a-z0-9]/i.exec(name)?.[0] ?? "?").toUpperCase();
  const hue = [...name].reduce((sum, each) => (sum * 31 + each.codePointAt(0)!) % 360, 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">` +
    `<rect width="40" height="40" fill="hsl(${hue} 32% 32%)"/>` +
    `<text x="20" y="27" text-anchor="middle" fill="#fff" font-size="19" font-weight="600" ` +
    `font-family="system-ui,sans-serif">${letter}</text></svg>`;
}

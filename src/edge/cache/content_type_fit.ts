/**
 * @module Guards against web cache deception. In this attack, a site responds to a URL such as
 * `/account/photo.css` with someone's account page.
 */
import { lookup } from "mrmime";

/** Types that reveal nothing about the content, or that many servers send for any file. */
const VAGUE = new Set(["application/octet-stream", "binary/octet-stream", "text/plain"]);

/**
 * File extensions that shared caches store (according to Cloudflare's list), but that `mrmime`
 * lacks.
 */
const OTHER_FILES = new Set(
  "7z apk avi bz2 docx ejs eot flac ico mkv pict ppt pptx rar swf tar xls xlsx zst".split(" "),
);

/** Types of pages and API responses. */
const PAGES = new Set(["html", "json", "xml"]);

function family(type: string): string {
  if (/(?:java|ecma)script/.test(type)) return "script";
  if (/[/+]json$/.test(type)) return "json";
  if (/[/+]xml$/.test(type) && type !== "application/xhtml+xml") return "xml";
  if (/html/.test(type)) return "html";
  if (type.startsWith("text/css")) return "css";
  return type.startsWith("application/") ? type : type.slice(0, type.indexOf("/"));
}

/**
 * Whether a response's type fits the extension in its path. Any type fits a path without a known
 * extension.
 */
export function fitsPath(path: string, contentType: string | undefined): boolean {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  const expected: unknown = ending === undefined ? undefined : lookup(ending);
  if (ending === undefined || contentType === undefined) return true;
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  if (OTHER_FILES.has(ending)) return !PAGES.has(family(type));
  // Guards against names such as `constructor`, which every object inherits.
  if (typeof expected !== "string") return true;
  return VAGUE.has(type) || family(type) === family(expected);
}

/**
 * The `Content-Type` of a file, by its name.
 *
 * @module
 */
import { mimes } from "mrmime";

const UNKNOWN = "application/octet-stream";

/** Types that `mrmime` does not know or that the web agreed on by name. */
const MORE_TYPES: ReadonlyMap<string, string> = new Map([
  ["cjs", "text/javascript"],
  ["eot", "application/vnd.ms-fontobject"],
  ["flac", "audio/flac"],
  ["gltf", "model/gltf+json"],
  ["ico", "image/x-icon"],
  ["topojson", "application/json"],
  ["wgsl", "text/wgsl"],
]);

/** Files without an extension whose type is laid down by who reads them. */
const NAMED_FILES: ReadonlyMap<string, string> = new Map([
  ["apple-app-site-association", "application/json"],
]);

/** `lookup()` of `mrmime` would find `constructor` on the prototype. */
function knownType(extension: string): string | undefined {
  return MORE_TYPES.get(extension) ??
    (Object.hasOwn(mimes, extension) ? mimes[extension] : undefined);
}

/**
 * Text in svc is UTF-8. XML is left alone, since it names its encoding itself
 * and a `charset` would overrule that (RFC 7303, 3.2).
 */
function withCharset(type: string): string {
  const isText = (type.startsWith("text/") && type !== "text/xml") ||
    type === "application/json" || type === "application/javascript" ||
    type.endsWith("+json");
  return isText ? `${type}; charset=utf-8` : type;
}

/** Returns the media type of a file name or path; octets where it is not known. */
export function contentType(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const type = dot < 0 ? NAMED_FILES.get(name) : knownType(name.slice(dot + 1).toLowerCase());
  return withCharset(type ?? UNKNOWN);
}

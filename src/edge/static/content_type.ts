import { mimes } from "mrmime";

const UNKNOWN = "application/octet-stream";

/** Types that `mrmime` does not have, or has under an outdated name. */
const MORE_TYPES: ReadonlyMap<string, string> = new Map([
  ["cjs", "text/javascript"],
  ["eot", "application/vnd.ms-fontobject"],
  ["flac", "audio/flac"],
  ["gltf", "model/gltf+json"],
  ["ico", "image/x-icon"],
  ["topojson", "application/json"],
  ["wgsl", "text/wgsl"],
]);

/** Files without an extension, whose types are specified by the programs that read them. */
const NAMED_FILES: ReadonlyMap<string, string> = new Map([
  ["apple-app-site-association", "application/json"],
]);

/**
 * Returns the type for an extension. Unlike `lookup()` from `mrmime`, it ignores inherited names
 * such as `constructor`.
 */
function knownType(extension: string): string | undefined {
  return MORE_TYPES.get(extension) ??
    (Object.hasOwn(mimes, extension) ? mimes[extension] : undefined);
}

/**
 * Adds UTF-8 as the charset of text. XML gets no charset, because it declares its encoding itself
 * and a `charset` would override that (RFC 7303, 3.2).
 */
function withCharset(type: string): string {
  const isText = (type.startsWith("text/") && type !== "text/xml") ||
    type === "application/json" || type === "application/javascript" ||
    type.endsWith("+json");
  return isText ? `${type}; charset=utf-8` : type;
}

/**
 * Returns the media type for a file name or path, or `application/octet-stream` if it is unknown.
 */
export function contentType(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const type = dot < 0 ? NAMED_FILES.get(name) : knownType(name.slice(dot + 1).toLowerCase());
  return withCharset(type ?? UNKNOWN);
}

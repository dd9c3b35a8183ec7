/**
 * The `Content-Type` of a file, by its name.
 *
 * @module
 */
import { lookup } from "mrmime";

const UNKNOWN = "application/octet-stream";

/** Types that `mrmime` does not know or that the web agreed on by name. */
const MORE_TYPES: Readonly<Record<string, string>> = {
  cjs: "text/javascript",
  eot: "application/vnd.ms-fontobject",
  flac: "audio/flac",
  gltf: "model/gltf+json",
  ico: "image/x-icon",
  jsonld: "application/ld+json",
  topojson: "application/json",
  wgsl: "text/wgsl",
};

/** Files without an extension whose type is laid down by who reads them. */
const NAMED_FILES: Readonly<Record<string, string>> = {
  "apple-app-site-association": "application/json",
};

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
  if (dot < 0) return withCharset(NAMED_FILES[name] ?? UNKNOWN);
  const extension = name.slice(dot + 1).toLowerCase();
  const known = Object.hasOwn(MORE_TYPES, extension) ? MORE_TYPES[extension] : lookup(extension);
  return withCharset(known ?? UNKNOWN);
}

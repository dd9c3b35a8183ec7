/**
 * Byte ranges (RFC 9110, 14): parsing `Range`, and `multipart/byteranges`.
 *
 * @module
 */
export { type ByteRange, parseRange, rangeLength } from "./byte_ranges.ts";
export { contentRange, layOutMultipart, multipartStream } from "./multipart.ts";

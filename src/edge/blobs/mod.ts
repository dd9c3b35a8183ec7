/**
 * The content of files by its SHA-256: small blobs in memory, large ones as
 * streams that never end well with damaged content.
 *
 * @module
 */
export { BlobCache, DEFAULT_CACHE_BYTES, MAX_CACHED_BYTES } from "./blob_cache.ts";
export { BlobCorruptError, type BlobReader } from "./blob_reader.ts";
export { BlobStreams } from "./verified_stream.ts";

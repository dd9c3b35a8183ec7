/**
 * @module Carries out decisions about files. This module is the only part of static serving that
 * reads bytes.
 */
import { BlobCache, MAX_CACHED_BYTES } from "../blobs/blob_cache.ts";
import type { BlobReader } from "../blobs/blob_reader.ts";
import { BlobStreams } from "../blobs/verified_stream.ts";
import { bytesOf } from "../messages/body.ts";
import { findHeader, type Header, type HeaderList } from "../messages/header_list.ts";
import { type ByteRange, rangeLength } from "../ranges/byte_ranges.ts";
import { contentRange, layOutMultipart, multipartStream } from "../ranges/multipart.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import type { StaticDecision } from "./decide.ts";
import type { Representation } from "./static_file.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface ServeOptions {
  readonly method: "GET" | "HEAD";
  /** Reads the content of the files. */
  readonly blobs: BlobReader;
}

/** Header fields of a 200 that a 304 does not have (RFC 9110, 15.4.5). */
const ONLY_WITH_CONTENT = new Set([
  "accept-ranges",
  "content-encoding",
  "content-type",
  "x-content-type-options",
]);

function notModified(representation: Representation): EdgeResponse {
  const headers = representation.headers.filter((header) => !ONLY_WITH_CONTENT.has(header[0]));
  return { status: 304, headers, body: null, bytes: 0 };
}

/** Serves representations of files. Small files are served from memory. */
export class FileServer {
  readonly #cache: BlobCache;
  readonly #streams = new BlobStreams();

  /** `cacheBytes` limits the memory for small files. */
  constructor(cacheBytes?: number) {
    this.#cache = new BlobCache({ capacity: cacheBytes });
  }

  /**
   * Carries out a decision: synchronously if the bytes are in memory or not needed. Rejects if the
   * blob is damaged or cannot be read.
   */
  perform(decision: StaticDecision, options: ServeOptions): EdgeResponse | Promise<EdgeResponse> {
    const { representation } = decision;
    switch (decision.type) {
      case "whole":
        return this.whole(representation, 200, options);
      case "not_modified":
        return notModified(representation);
      case "partial":
        return decision.ranges.length === 1
          ? this.#onePart(representation, decision.ranges[0]!, options.blobs)
          : this.#manyParts(representation, decision.ranges, options.blobs);
    }
  }

  /** Returns a response with the whole representation and the given status. */
  whole(
    representation: Representation,
    status: number,
    options: ServeOptions,
  ): EdgeResponse | Promise<EdgeResponse> {
    const { sha256, size, headers } = representation;
    if (options.method === "HEAD") {
      const length: Header = ["content-length", String(size)];
      return { status, headers: [...headers, length], body: null, bytes: 0 };
    }
    const body = this.#cache.peek(sha256);
    if (body !== undefined) return { status, headers, body, bytes: size };
    return this.#read(representation, status, options.blobs);
  }

  async #read(
    representation: Representation,
    status: number,
    blobs: BlobReader,
  ): Promise<EdgeResponse> {
    const { sha256, size, headers } = representation;
    if (size <= MAX_CACHED_BYTES) {
      const body = await this.#cache.load(sha256, blobs);
      return { status, headers, body, bytes: size };
    }
    const body = await this.#streams.whole(representation, blobs);
    return { status, headers: [...headers, ["content-length", String(size)]], body, bytes: size };
  }

  async #onePart(
    representation: Representation,
    range: ByteRange,
    blobs: BlobReader,
  ): Promise<EdgeResponse> {
    const { sha256, size } = representation;
    const bytes = rangeLength(range);
    const headers: HeaderList = [
      ...representation.headers,
      ["content-range", contentRange(range, size)],
      ["content-length", String(bytes)],
    ];
    if (size > MAX_CACHED_BYTES) {
      const body = await this.#streams.range(representation, range, blobs);
      return { status: 206, headers, body, bytes };
    }
    const blob = bytesOf(await this.#cache.load(sha256, blobs));
    return { status: 206, headers, body: blob.subarray(range.start, range.end + 1), bytes };
  }

  /**
   * Responds with several ranges. The blob's hash serves as the boundary, because the blob cannot
   * contain its own hash.
   */
  async #manyParts(
    representation: Representation,
    ranges: readonly ByteRange[],
    blobs: BlobReader,
  ): Promise<EdgeResponse> {
    const { sha256, size, headers } = representation;
    const streams = this.#streams;
    const layout = layOutMultipart(ranges, {
      size,
      contentType: findHeader(headers, "content-type")!,
      boundary: sha256,
    });
    const blob = size > MAX_CACHED_BYTES
      ? undefined
      : bytesOf(await this.#cache.load(sha256, blobs));
    if (blob === undefined) await streams.prepareRanges(representation, blobs);
    async function* bytesIn(range: ByteRange): AsyncGenerator<Bytes> {
      if (blob === undefined) yield* await streams.range(representation, range, blobs);
      else yield blob.subarray(range.start, range.end + 1);
    }
    return {
      status: 206,
      headers: [
        ...headers.filter((header) => header[0] !== "content-type"),
        ["content-type", layout.contentType],
        ["content-length", String(layout.length)],
      ],
      body: multipartStream(layout, ranges, bytesIn),
      bytes: layout.length,
    };
  }
}

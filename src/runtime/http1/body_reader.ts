/** @module Reads response bodies according to their framing (RFC 9112, 6 and 7). */
import type { ByteReader } from "./byte_reader.ts";
import { OutboundError } from "./errors.ts";
import type { BodyFraming } from "./head.ts";

/** Returns the next part, or `null` when the body is complete. */
type NextPart = () => Promise<Uint8Array<ArrayBuffer> | null>;

const MAX_PART = 64 * 1024;
const MAX_LINE = 1024;
const MAX_TRAILERS = 64;

// deno-lint-ignore no-control-regex -- excludes control characters on purpose
const CHUNK_LINE = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?$/;

function byLength(reader: ByteReader, length: number): NextPart {
  let left = length;
  return async () => {
    if (left === 0) return null;
    const bytes = await reader.someOf(Math.min(left, MAX_PART));
    left -= bytes.byteLength;
    return bytes;
  };
}

async function skipTrailers(reader: ByteReader): Promise<void> {
  for (let count = 0; count <= MAX_TRAILERS; count++) {
    if (await reader.until("line", MAX_LINE * 8) === "") return;
  }
  throw new OutboundError("bad_response", "The response has too many trailers");
}

function chunked(reader: ByteReader): NextPart {
  let left = 0;
  let first = true;
  let done = false;
  return async () => {
    if (done) return null;
    if (left === 0) {
      if (!first && await reader.until("line", MAX_LINE) !== "") {
        throw new OutboundError(
          "bad_response",
          "A chunk of the response is longer than its declared size",
        );
      }
      first = false;
      const size = CHUNK_LINE.exec(await reader.until("line", MAX_LINE))?.[1];
      if (size === undefined) {
        throw new OutboundError("bad_response", "A chunk of the response has no size");
      }
      left = Number.parseInt(size, 16);
      if (left === 0) {
        await skipTrailers(reader);
        done = true;
        return null;
      }
    }
    const bytes = await reader.someOf(Math.min(left, MAX_PART));
    left -= bytes.byteLength;
    return bytes;
  };
}

export function readBody(reader: ByteReader, framing: BodyFraming): NextPart {
  switch (framing.type) {
    case "none":
      return () => Promise.resolve(null);
    case "length":
      return byLength(reader, framing.length);
    case "chunked":
      return chunked(reader);
    case "close":
      return () => reader.some(MAX_PART);
  }
}

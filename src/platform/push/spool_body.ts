/**
 * Writes the body of a request to a file before git sees any of it, so that a slow client
 * holds no process, and nothing larger than allowed reaches the disk.
 *
 * @module
 */
import { Failure } from "../core/http/mod.ts";

/** Longest time that a client may take to send a body, in milliseconds. */
const SEND_MS = 30 * 60_000;

/** The body as the client meant it: git compresses long requests. */
function bodyOf(request: Request): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  const coding = request.headers.get("content-encoding") ?? "identity";
  if (request.body === null || coding === "identity") return request.body;
  if (coding === "gzip" || coding === "x-gzip") {
    return request.body.pipeThrough(new DecompressionStream("gzip"));
  }
  throw new Failure("unsupported_media_type", `Send the body with gzip, not ${coding}`);
}

export interface Spooled {
  /** False if the body was longer than allowed: the file then holds its beginning only. */
  readonly isWhole: boolean;
}

/**
 * Writes a body to a new file; `onChunk` sees every chunk in order. Bytes beyond `maxBytes` are
 * read and dropped, so that the client reads the response, up to the same amount again: a few bytes
 * of gzip can expand to any size.
 *
 * @throws what `onChunk` throws
 * @throws {Failure} `invalid_request` if the body breaks off or cannot be decompressed
 */
export async function spoolBody(
  request: Request,
  options: {
    readonly path: string;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
    onChunk?(chunk: Uint8Array): void;
  },
): Promise<Spooled> {
  const { path, maxBytes, onChunk } = options;
  const late = AbortSignal.timeout(SEND_MS);
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const body = bodyOf(request)?.pipeThrough(new TransformStream(), {
    signal: AbortSignal.any([options.signal, late]),
  });
  let size = 0;
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch((cause) => {
      if (late.aborted) throw new Failure("invalid_request", "The body took too long", { cause });
      throw new Failure("invalid_request", "Cannot read the body", { cause });
    });
    if (done) break;
    size += value.byteLength;
    if (size > 2 * maxBytes) {
      await reader.cancel();
      break;
    }
    if (size > maxBytes) continue;
    onChunk?.(value);
    for (let at = 0; at < value.byteLength;) at += await file.write(value.subarray(at));
  }
  return { isWhole: size <= maxBytes };
}

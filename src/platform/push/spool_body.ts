/** Writes a request's body to a file, so that slow clients do not block a git process. @module */
import { Failure } from "../core/http/mod.ts";

/** Maximum time that a client may take to send a body, in milliseconds. */
const SEND_MS = 30 * 60_000;

/** Returns the decompressed body. git compresses long requests. */
function bodyOf(request: Request): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  const coding = request.headers.get("content-encoding") ?? "identity";
  if (request.body === null || coding === "identity") return request.body;
  if (coding === "gzip" || coding === "x-gzip") {
    return request.body.pipeThrough(new DecompressionStream("gzip"));
  }
  throw new Failure("unsupported_media_type", `Send the body with gzip, not ${coding}`);
}

interface Spooled {
  /**
   * Whether the whole body was written. If not, it was longer than allowed, and the file contains
   * only its beginning.
   */
  readonly isWhole: boolean;
}

/**
 * Writes a body to a file. Beyond `maxBytes`, reads and drops up to the same amount again, so that
 * the client reads the response. @throws what `onChunk` throws, or {Failure} `invalid_request`
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
  const reader = bodyOf(request)?.getReader();
  if (reader === undefined) return { isWhole: true };
  // Not `pipeThrough()` with the signal: in Deno 2.7, a pipe does not keep a combined signal alive.
  const stopping = AbortSignal.any([options.signal, late]);
  const stop = () => void reader.cancel(stopping.reason).catch(() => {});
  stopping.addEventListener("abort", stop, { once: true });
  const read = async () => {
    stopping.throwIfAborted();
    const part = await reader.read();
    stopping.throwIfAborted();
    return part;
  };
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await read().catch((cause) => {
        const message = late.aborted ? "The body took too long" : "Cannot read the body";
        throw new Failure("invalid_request", message, { cause });
      });
      if (done) return { isWhole: size <= maxBytes };
      size += value.byteLength;
      if (size > 2 * maxBytes) {
        await reader.cancel();
        return { isWhole: false };
      }
      if (size > maxBytes) continue;
      onChunk?.(value);
      for (let at = 0; at < value.byteLength;) at += await file.write(value.subarray(at));
    }
  } finally {
    stopping.removeEventListener("abort", stop);
  }
}

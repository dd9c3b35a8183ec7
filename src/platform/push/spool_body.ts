/** Writes a request's body to a file, so that slow clients do not block a git process. @module */
import { writeAll } from "../../lib/atomic_file.ts";
import { readUntilAborted } from "../../lib/read_until_aborted.ts";
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

/** Yields the decompressed body. @throws {Failure} `invalid_request` if it cannot be read */
async function* chunksOf(request: Request, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const body = bodyOf(request);
  if (body === null) return;
  const late = AbortSignal.timeout(SEND_MS);
  try {
    yield* readUntilAborted(body, AbortSignal.any([signal, late]));
  } catch (cause) {
    const message = late.aborted ? "The body took too long" : "Cannot read the body";
    throw new Failure("invalid_request", message, { cause });
  }
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
  const { path, maxBytes, signal, onChunk } = options;
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  let size = 0;
  for await (const chunk of chunksOf(request, signal)) {
    size += chunk.byteLength;
    if (size > 2 * maxBytes) break;
    if (size > maxBytes) continue;
    onChunk?.(chunk);
    await writeAll(file, chunk);
  }
  return { isWhole: size <= maxBytes };
}

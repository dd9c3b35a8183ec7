/** Reads request bodies up to a size limit. @module */
import { createPause } from "../../../lib/next_turn.ts";
import { JsonError, type ParsedJson, parseJson } from "../../../lib/parse_json.ts";
import { Failure } from "./failure.ts";

/** Maximum nesting depth of a JSON body: a manifest with 64 levels, plus the levels around it. */
const MAX_BODY_DEPTH = 66;

/**
 * Maximum announced size of a body to read in one piece, in bytes. That costs less than a stream.
 */
const MAX_AT_ONCE = 65_536;

/**
 * Reads a whole body of at most `maxBytes`. `onChunk` is called with each chunk and awaited.
 *
 * @throws {Failure} `payload_too_large`, before anything is read if the size is announced.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  onChunk?: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new Failure("payload_too_large", `Send a body of at most ${maxBytes} bytes`);
  const announced = Number(request.headers.get("content-length") ?? NaN);
  if (announced > maxBytes) throw tooLarge();
  if (announced <= MAX_AT_ONCE && onChunk === undefined) {
    const bytes = await request.bytes();
    if (bytes.byteLength > maxBytes) throw tooLarge();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    await onChunk?.();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Reads a JSON body. Returns `undefined` for an empty body. Parses a large body in pieces. */
export async function readJson(request: Request, maxBytes: number): Promise<ParsedJson> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return { value: undefined, mayBeIllFormed: false };
  if (type !== "application/json") {
    throw new Failure(
      "unsupported_media_type",
      `Send JSON with Content-Type: application/json, not ${type ?? "a body without a type"}`,
    );
  }
  const coding = request.headers.get("content-encoding") ?? "identity";
  if (coding.trim().toLowerCase() !== "identity") {
    throw new Failure(
      "unsupported_media_type",
      `Send the body without Content-Encoding, not with ${coding}`,
    );
  }
  try {
    return await parseJson(bytes, { maxDepth: MAX_BODY_DEPTH, pause: createPause() });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new Failure("invalid_request", `Cannot read the body as JSON: ${error.message}`);
  }
}

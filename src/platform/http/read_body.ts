/**
 * Reading request bodies within bounds.
 *
 * @module
 */
import { Failure } from "./failure.ts";

/** Largest JSON body, in bytes: the file list of a deployment of 100,000 files. */
export const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** Reads a whole body of at most `maxBytes`. */
export async function readBytes(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new Failure("payload_too_large", `Send a body of at most ${maxBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
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

/** Reads a JSON body of at most `maxBytes`; an empty one is `undefined`. */
export async function readJson(request: Request, maxBytes = MAX_JSON_BYTES): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  if (type !== "application/json") {
    throw new Failure(
      "unsupported_media_type",
      `Send JSON with Content-Type: application/json, not ${type ?? "without a type"}`,
    );
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("invalid_request", `Can not read the body as JSON: ${reason}`);
  }
}

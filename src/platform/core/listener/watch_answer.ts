/**
 * Watches the progress of responses on connections that may carry several.
 *
 * An HTTP/2 client that opens no window receives nothing, and the runtime keeps the response in
 * memory. The runtime reports the end of a response only if it is a stream, and a stream costs
 * twice as much as a single-piece response. Therefore, only some single-piece responses are
 * watched. That is enough to detect a connection with many pending responses.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { addField, addFieldsOf, hasField } from "../../../lib/raw_fields.ts";
import { inPieces, wholeBody } from "../../../lib/whole_answer.ts";
import type { ConnectionTable, Sending, Tracked } from "./connection_table.ts";

/** On average, one in `SAMPLED` single-piece responses is watched, and counts for all of them. */
const SAMPLED = 16;
/** Maximum number of bytes that the runtime buffers for a stream whose client does not read. */
const STREAM_BYTES = 64 * 1024;

interface AnswerWatch {
  readonly table: ConnectionTable;
  readonly entry: Tracked;
  readonly random: () => number;
}

/** A response, and the progress of its delivery. */
interface WatchedAnswer {
  readonly response: Response;
  readonly sending: Sending;
}

/** Watches a response if necessary. Call this just before the connection sends the response. */
export function watchAnswer(
  response: Response,
  { table, entry, random }: AnswerWatch,
): WatchedAnswer | undefined {
  const whole = wholeBody(response);
  if (whole === null) return undefined;
  if (whole !== undefined) {
    if (random() * SAMPLED >= 1) return undefined;
    const length = lengthOf(whole);
    const sending = table.sends(entry, { bytes: SAMPLED * length, stands: SAMPLED });
    let left = length;
    const body = inPieces(whole, (bytes) => {
      left -= bytes;
      sending.isHandedOver = left === 0;
      table.progressed(sending);
    });
    const { status, headers } = response;
    const watched = new Response(body, { status });
    addFieldsOf(headers, watched.headers);
    if (!hasField(headers, "content-length")) {
      addField(watched.headers, ["content-length", String(length)]);
    }
    return { response: watched, sending };
  }
  if (!entry.isShared || response.body === null) return undefined;
  const sending = table.sends(entry, { bytes: STREAM_BYTES, stands: 1 });
  const length = Number(response.headers.get("content-length") ?? Infinity);
  const body = watchedBody(response.body, { table, sending, length });
  return { response: new Response(body, response), sending };
}

const lengthOf = (body: string | Uint8Array): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;

interface Watch {
  readonly table: ConnectionTable;
  readonly sending: Sending;
  /** Length of the body, in bytes; `Infinity` if it is not known. */
  readonly length: number;
}

/** Wraps the stream, and records each requested piece. */
function watchedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { table, sending, length }: Watch,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let handed = 0;
  return new ReadableStream({
    async pull(controller) {
      table.wants(sending);
      const { done, value } = await reader.read();
      table.progressed(sending);
      handed += value?.byteLength ?? 0;
      sending.isHandedOver = done || handed >= length;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/**
 * @module Announces and sends a request's body (RFC 9112, 6), and decides whether the request can
 * be repeated.
 */
import { OutboundError } from "./errors.ts";
import { type HeaderList, readContentLength } from "./head.ts";

/**
 * Methods that can be sent again if an idle connection turns out to be closed (RFC 9110, 9.2.2).
 */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/** Methods for which a missing body is announced as an empty body. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

interface Body {
  /** Length in bytes; `undefined` if the body is sent in chunks, or there is none. */
  readonly length: number | undefined;
  /** Headers that announce the body. They replace the same headers in the request. */
  readonly headers: HeaderList;
}

function lengthOf(headers: HeaderList): number | undefined {
  try {
    return readContentLength(headers);
  } catch {
    throw new OutboundError(
      "bad_request",
      "The content-length of the request is not a single number",
    );
  }
}

/** @throws OutboundError `bad_request` if the length is not a single number */
export function announceBody(
  { method, headers, body }: {
    readonly method: string;
    readonly headers: HeaderList;
    readonly body: unknown;
  },
): Body {
  if (body === null) {
    return {
      length: undefined,
      headers: WITH_BODY.has(method) ? [["content-length", "0"]] : [],
    };
  }
  const length = lengthOf(headers);
  return length === undefined
    ? { length, headers: [["transfer-encoding", "chunked"]] }
    : { length, headers: [["content-length", `${length}`]] };
}

/**
 * Returns true if a request can safely be sent again after its connection turned out to be closed.
 */
export function isRepeatable(
  { method, body }: { readonly method: string; readonly body: unknown },
): boolean {
  return body === null && REPEATABLE.has(method);
}

const encoder = new TextEncoder();
const CRLF = encoder.encode("\r\n");
const LAST_CHUNK = encoder.encode("0\r\n\r\n");

/**
 * Sends a body: unchanged if its length in bytes is known, otherwise in chunks.
 *
 * @throws OutboundError `bad_request` if the body does not have the known length, `aborted` if it
 *   ends early; otherwise like `write`
 */
export async function sendBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  length: number | undefined,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  let sent = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      sent += value.byteLength;
      if (length !== undefined && sent > length) break;
      if (value.byteLength === 0) continue;
      if (length === undefined) {
        await write(encoder.encode(`${value.byteLength.toString(16)}\r\n`));
        await write(value);
        await write(CRLF);
      } else await write(value);
    }
    if (length === undefined) await write(LAST_CHUNK);
    else if (sent !== length) {
      throw new OutboundError(
        "bad_request",
        "The length of the body differs from its content-length",
      );
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    throw error instanceof OutboundError
      ? error
      : new OutboundError("aborted", "The request body ended early", { cause: error });
  }
}

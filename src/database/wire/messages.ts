/** @module Messages from a PostgreSQL server, and the few client messages that carry bytes. */

/** Returns the bytes of a message: a letter, the length, and its parts. */
export function message(
  letter: string,
  ...parts: readonly (number | string | Uint8Array)[]
): Uint8Array<ArrayBuffer> {
  const bytes = parts.map(encodePart);
  const length = bytes.reduce((sum, part) => sum + part.byteLength, 4);
  const whole = new Uint8Array(1 + length);
  whole[0] = letter.charCodeAt(0);
  new DataView(whole.buffer).setUint32(1, length);
  let at = 5;
  for (const part of bytes) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Encodes a number as an Int32, and a string with a zero byte at the end. Bytes are unchanged. */
function encodePart(part: number | string | Uint8Array): Uint8Array {
  if (part instanceof Uint8Array) return part;
  if (typeof part === "string") return new TextEncoder().encode(`${part.replaceAll("\0", "")}\0`);
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, part);
  return bytes;
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

const raw = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Kinds of `Authentication` (protocol: message formats). */
export const AUTHENTICATION = {
  ok: 0,
  clearText: 3,
  md5: 5,
  sasl: 10,
  saslContinue: 11,
  saslFinal: 12,
} as const;

export const SCRAM_MECHANISM = "SCRAM-SHA-256";

export const authenticationOk = (): Uint8Array<ArrayBuffer> => message("R", AUTHENTICATION.ok);
export const authenticationSasl = (): Uint8Array<ArrayBuffer> =>
  message("R", AUTHENTICATION.sasl, SCRAM_MECHANISM, "");
export const authenticationSaslContinue = (text: string): Uint8Array<ArrayBuffer> =>
  message("R", AUTHENTICATION.saslContinue, raw(text));
export const authenticationSaslFinal = (text: string): Uint8Array<ArrayBuffer> =>
  message("R", AUTHENTICATION.saslFinal, raw(text));

/**
 * Creates the message that says that only protocol 3.0 is supported. The message also names the
 * client's options that the server does not know.
 */
export function negotiateProtocolVersion(options: readonly string[]): Uint8Array<ArrayBuffer> {
  return message("v", 0, options.length, ...options);
}

export interface ErrorFields {
  readonly severity: "ERROR" | "FATAL";
  /** Five characters. */
  readonly sqlState: string;
  readonly message: string;
  readonly hint?: string;
}

export function errorResponse(fields: ErrorFields): Uint8Array<ArrayBuffer> {
  const parts = [`S${fields.severity}`, `V${fields.severity}`, `C${fields.sqlState}`];
  parts.push(`M${fields.message}`);
  if (fields.hint !== undefined) parts.push(`H${fields.hint}`);
  return message("E", ...parts, new Uint8Array(1));
}

export const backendKeyData = (processId: number, secret: Uint8Array): Uint8Array<ArrayBuffer> =>
  message("K", processId, secret);

/** A complete message and its letter. */
export interface Frame {
  readonly letter: string;
  /** The whole message, including letter and length. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** Splits a sequence of whole messages. */
export function splitFrames(bytes: Uint8Array<ArrayBuffer>): readonly Frame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Frame[] = [];
  for (let at = 0; at + 5 <= bytes.byteLength;) {
    const end = at + 1 + view.getUint32(at + 1);
    const whole = bytes.subarray(at, end);
    const letter = String.fromCharCode(bytes[at]!);
    frames.push({ letter, bytes: whole, payload: whole.subarray(5) });
    at = end;
  }
  return frames;
}

/** Returns the fields of an `ErrorResponse` or `NoticeResponse` by their letters. */
export function parseFields(payload: Uint8Array): ReadonlyMap<string, string> {
  const fields = new TextDecoder().decode(payload).split("\0").filter((field) => field !== "");
  return new Map(fields.map((field) => [field[0]!, field.slice(1)]));
}

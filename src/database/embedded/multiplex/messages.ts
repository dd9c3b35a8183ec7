/** @module The messages of protocol 3.0 that a shared backend needs. Rows are passed on unread. */

/** One message: its type, and all its bytes, including type and length. */
export interface Message {
  /** One character, such as `Q`. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const HEADER_BYTES = 5;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A message is malformed or too large, so the session cannot continue. */
export class MessageError extends Error {
  override readonly name = "MessageError";
}

/** Splits a stream of bytes into messages, which share memory with the chunks. */
export class MessageReader {
  /** Bytes before `#end` belong to messages, and are never overwritten. */
  #bytes = new Uint8Array(0);
  #at = 0;
  #end = 0;

  readonly #maxBytes: number;

  /** Rejects messages larger than `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Buffered bytes of messages that have not been taken yet. */
  get size(): number {
    return this.#end - this.#at;
  }

  /** Adds a chunk, which the caller must not change afterwards. */
  push(chunk: Uint8Array<ArrayBuffer>): void {
    const size = this.size;
    if (size === 0) {
      [this.#bytes, this.#at, this.#end] = [chunk, 0, chunk.byteLength];
      return;
    }
    if (this.#end + chunk.byteLength > this.#bytes.byteLength) {
      const next = new Uint8Array(Math.max(4096, (size + chunk.byteLength) * 2));
      next.set(this.#bytes.subarray(this.#at, this.#end));
      [this.#bytes, this.#at, this.#end] = [next, 0, size];
    }
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.byteLength;
  }

  /** Type of the next message, as soon as its first byte has arrived. */
  get nextType(): string | undefined {
    return this.size === 0 ? undefined : String.fromCharCode(this.#bytes[this.#at]!);
  }

  /** Length of the next message in bytes, as soon as its header has arrived. */
  get #nextLength(): number | undefined {
    return this.size < HEADER_BYTES ? undefined : readI32(this.#bytes, this.#at + 1) + 1;
  }

  /** Whether the next message is complete, or invalid. */
  get isWhole(): boolean {
    const length = this.#nextLength;
    if (length === undefined) return false;
    return length < HEADER_BYTES || length > this.#maxBytes || length <= this.size;
  }

  /** Returns the next message without taking it, once it is complete. @throws {MessageError} */
  peek(): Message | undefined {
    const length = this.#nextLength;
    if (length === undefined) return undefined;
    if (length < HEADER_BYTES) throw new MessageError("Message has an impossible length");
    if (length > this.#maxBytes) {
      throw new MessageError(`Message of ${length} bytes is over the limit of ${this.#maxBytes}`);
    }
    if (this.size < length) return undefined;
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    return { type: String.fromCharCode(bytes[0]!), bytes };
  }

  /** Takes the next message, once it is complete. @throws {MessageError} */
  take(): Message | undefined {
    const message = this.peek();
    if (message !== undefined) this.#at += message.bytes.byteLength;
    return message;
  }
}

function readI32(bytes: Uint8Array, at: number): number {
  return bytes[at]! << 24 | bytes[at + 1]! << 16 | bytes[at + 2]! << 8 | bytes[at + 3]!;
}

function endOfString(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(0, at);
  if (end < 0) throw new MessageError("Message has an unterminated string");
  return end;
}

const STATEMENT = "S".charCodeAt(0);

/** Whether a message only prepares, describes or closes a statement, and runs nothing. */
export function isPreparation({ type, bytes }: Message): boolean {
  if (type === "P" || type === "H") return true;
  return (type === "D" || type === "C") && bytes[HEADER_BYTES] === STATEMENT;
}

/** Reads the zero-terminated string at `at`, and returns the position after it. */
export function readString(
  bytes: Uint8Array,
  at: number,
): { readonly text: string; readonly next: number } {
  const end = endOfString(bytes, at);
  return { text: decoder.decode(bytes.subarray(at, end)), next: end + 1 };
}

/** Returns the SQL text of a `Query` message. */
export const queryText = ({ bytes }: Message): string => readString(bytes, HEADER_BYTES).text;

/** Writes a message that consists of strings and bytes. Each string ends with a zero byte. */
export function writeMessage(
  type: string,
  ...parts: readonly (string | Uint8Array)[]
): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => typeof part === "string" ? encoder.encode(`${part}\0`) : part);
  const length = pieces.reduce((total, piece) => total + piece.byteLength, HEADER_BYTES);
  const bytes = new Uint8Array(length);
  bytes[0] = type.charCodeAt(0);
  new DataView(bytes.buffer).setInt32(1, length - 1);
  let at = HEADER_BYTES;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** The name of a statement in a message, and a function that renames the statement. */
export interface NamedStatement {
  readonly name: string;
  renamed(name: string): Uint8Array<ArrayBuffer>;
}

/**
 * Finds the prepared statement to which a `Parse`, `Bind`, `Describe` or `Close` message refers.
 * Returns `undefined` if the message refers to a portal.
 *
 * @throws {MessageError}
 */
export function statementOf({ type, bytes }: Message): NamedStatement | undefined {
  let start = HEADER_BYTES;
  if (type === "B") start = endOfString(bytes, start) + 1;
  else if (type === "D" || type === "C") {
    if (bytes[start] !== "S".charCodeAt(0)) return undefined;
    start++;
  }
  const { text: name, next } = readString(bytes, start);
  return {
    name,
    renamed: (other) =>
      writeMessage(type, bytes.subarray(HEADER_BYTES, start), other, bytes.subarray(next)),
  };
}

function readI16(bytes: Uint8Array, at: number): number {
  return bytes[at]! << 8 | bytes[at + 1]!;
}

/** Returns the offset of the parameter formats in a `Bind` message, after its two names. */
const bindFormats = (bytes: Uint8Array): number =>
  endOfString(bytes, endOfString(bytes, HEADER_BYTES) + 1) + 1;

/** Returns the values of a `Bind` message: text, or integers of 2, 4 or 8 bytes. */
export function bindParameters({ bytes }: Message): (string | bigint | null)[] {
  let at = bindFormats(bytes);
  const formats = readI16(bytes, at);
  const isBinary = (index: number) =>
    formats > 0 && readI16(bytes, bindFormats(bytes) + 2 + 2 * (formats === 1 ? 0 : index)) === 1;
  at += 2 + 2 * formats;
  const count = readI16(bytes, at);
  at += 2;
  const values: (string | bigint | null)[] = [];
  while (values.length < count && at < bytes.byteLength) {
    const length = readI32(bytes, at);
    at += 4;
    const value = bytes.subarray(at, at + Math.max(0, length));
    if (length < 0) values.push(null);
    else if (!isBinary(values.length)) values.push(decoder.decode(value));
    else values.push(wholeNumber(value) ?? decoder.decode(value));
    at += value.byteLength;
  }
  return values;
}

function wholeNumber(bytes: Uint8Array): bigint | undefined {
  if (![2, 4, 8].includes(bytes.byteLength)) return undefined;
  const value = bytes.reduce((total, byte) => total << 8n | BigInt(byte), 0n);
  return BigInt.asIntN(8 * bytes.byteLength, value);
}

/**
 * Replaces a `Bind` message with one that binds another statement without parameters. The portal
 * and the result formats stay the same.
 */
export function bindInstead({ bytes }: Message, statement: string): Uint8Array<ArrayBuffer> {
  const portal = readString(bytes, HEADER_BYTES).text;
  let at = bindFormats(bytes);
  at += 2 + 2 * readI16(bytes, at);
  const count = readI16(bytes, at);
  at += 2;
  for (let index = 0; index < count; index++) at += 4 + Math.max(0, readI32(bytes, at));
  return writeMessage("B", portal, statement, new Uint8Array(4), bytes.subarray(at));
}

/** Returns the text of the statement in a `Parse` message. */
export function parseText({ bytes }: Message): string {
  return readString(bytes, endOfString(bytes, HEADER_BYTES) + 1).text;
}

export const SYNC = writeMessage("S");
export const COPY_FAIL = writeMessage("f", "the client has gone");

export type TransactionStatus = "I" | "T" | "E";

/** `ReadyForQuery`. */
export const readyForQuery = (status: TransactionStatus): Uint8Array<ArrayBuffer> =>
  writeMessage("Z", encoder.encode(status));

export interface ErrorFields {
  readonly severity: "ERROR" | "FATAL";
  readonly sqlState: string;
  readonly message: string;
  readonly hint?: string;
}

/** `ErrorResponse`. */
export function errorResponse(
  { severity, sqlState, message, hint }: ErrorFields,
): Uint8Array<ArrayBuffer> {
  const fields = [`S${severity}`, `V${severity}`, `C${sqlState}`, `M${message}`];
  if (hint !== undefined) fields.push(`H${hint}`);
  return writeMessage("E", ...fields, Uint8Array.of(0));
}

/** Returns the field of an `ErrorResponse`, such as `C` for its SQLSTATE or `M` for its message. */
export function errorField({ bytes }: Message, field: string): string | undefined {
  for (let at = HEADER_BYTES; at < bytes.byteLength && bytes[at] !== 0;) {
    const kind = String.fromCharCode(bytes[at]!);
    const { text, next } = readString(bytes, at + 1);
    if (kind === field) return text;
    at = next;
  }
  return undefined;
}

/** Returns the values of a `DataRow` in text format. */
export function rowValues({ bytes }: Message): (string | null)[] {
  const count = bytes[HEADER_BYTES]! << 8 | bytes[HEADER_BYTES + 1]!;
  const values: (string | null)[] = [];
  for (let at = HEADER_BYTES + 2; values.length < count;) {
    const length = readI32(bytes, at);
    at += 4;
    values.push(length < 0 ? null : decoder.decode(bytes.subarray(at, at + length)));
    at += Math.max(0, length);
  }
  return values;
}

export const parameterStatus = (name: string, value: string): Uint8Array<ArrayBuffer> =>
  writeMessage("S", name, value);

/** Returns the tag of a `CommandComplete` message, such as `SELECT 1`. */
export const commandTag = ({ bytes }: Message): string => readString(bytes, HEADER_BYTES).text;

/** Returns the channel of a `NotificationResponse`. */
export const channelOf = ({ bytes }: Message): string => readString(bytes, HEADER_BYTES + 4).text;

/** Returns the status of a `ReadyForQuery`. */
export const statusOf = ({ bytes }: Message): TransactionStatus =>
  String.fromCharCode(bytes[HEADER_BYTES]!) as TransactionStatus;

/** `BackendKeyData`. */
export function backendKey(pid: number, secret: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, pid);
  view.setInt32(4, secret);
  return writeMessage("K", bytes);
}

/** Concatenates messages. */
export function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += part.byteLength;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/**
 * @module Decodes bytes that should be UTF-8 (RFC 3629). Anything else is rejected, and its
 * position is reported, because a replacement character would change the meaning of a file.
 */
import type { Diagnostic, Position } from "./diagnostic.ts";

/** The first byte that is not UTF-8. */
interface Utf8Fault {
  /** Number of bytes before the invalid one. */
  readonly offset: number;
  /** The value of the invalid byte. */
  readonly byte: number;
  /** Line and column, starting at 1. The column is in characters, as in editors. */
  readonly position: Position;
}

type Utf8Result =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: Utf8Fault };

/** Thrown if a file that should be text is not valid UTF-8. */
export class NotUtf8Error extends Error {
  override readonly name = "NotUtf8Error";
  constructor(readonly file: string, readonly fault: Utf8Fault) {
    const { line, column } = fault.position;
    super(`${file}:${line}:${column}: ${describeUtf8Fault(fault)}`);
  }
}

/** Converts the fault to a diagnostic for the file, for reports that show several problems. */
export function utf8Diagnostic(fault: Utf8Fault): Diagnostic {
  return {
    severity: "error",
    code: "not_utf8",
    message: describeUtf8Fault(fault),
    path: "",
    position: fault.position,
  };
}

/** Describes the fault and its fix, without the position. */
export function describeUtf8Fault({ byte, offset }: Utf8Fault): string {
  const shown = byte.toString(16).toUpperCase().padStart(2, "0");
  return `Save the file as UTF-8: byte 0x${shown} at offset ${offset} is not UTF-8`;
}

/**
 * Returns the length of the sequence that begins with a byte, and the bounds of its second byte.
 */
function sequenceOf(first: number): readonly [length: number, low: number, high: number] {
  if (first < 0x80) return [1, 0, 0];
  if (first >= 0xc2 && first <= 0xdf) return [2, 0x80, 0xbf];
  if (first === 0xe0) return [3, 0xa0, 0xbf];
  if (first === 0xed) return [3, 0x80, 0x9f];
  if (first >= 0xe1 && first <= 0xef) return [3, 0x80, 0xbf];
  if (first === 0xf0) return [4, 0x90, 0xbf];
  if (first >= 0xf1 && first <= 0xf3) return [4, 0x80, 0xbf];
  if (first === 0xf4) return [4, 0x80, 0x8f];
  return [0, 0, 0];
}

function isSequence(bytes: Uint8Array, at: number, length: number): boolean {
  const [, low, high] = sequenceOf(bytes[at]!);
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index];
    const [least, most] = index === 1 ? [low, high] : [0x80, 0xbf];
    if (byte === undefined || byte < least || byte > most) return false;
  }
  return length > 0;
}

/** Returns the length of the valid UTF-8 at the start, in bytes. */
function validLength(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const [length] = sequenceOf(bytes[at]!);
    if (!isSequence(bytes, at, length)) return at;
    at += length;
  }
  return at;
}

function findFault(bytes: Uint8Array): Utf8Fault {
  const offset = validLength(bytes);
  const lines = new TextDecoder().decode(bytes.subarray(0, offset)).split("\n");
  return {
    offset,
    byte: bytes[offset] ?? 0,
    position: { line: lines.length, column: lines.at(-1)!.length + 1 },
  };
}

/** Decodes bytes. A byte order mark at the start is dropped unless `keepMark` is set. */
export function decodeUtf8(
  bytes: Uint8Array,
  { keepMark = false }: { readonly keepMark?: boolean } = {},
): Utf8Result {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: keepMark });
  try {
    return { ok: true, text: decoder.decode(bytes) };
  } catch {
    return { ok: false, fault: findFault(bytes) };
  }
}

/**
 * Decodes the content of a file.
 *
 * @throws {NotUtf8Error} with the file and the position of the first invalid byte.
 */
export function decodeFile(bytes: Uint8Array, file: string): string {
  const result = decodeUtf8(bytes);
  if (!result.ok) throw new NotUtf8Error(file, result.fault);
  return result.text;
}

/**
 * Reads a whole text file like Deno's `readTextFile()`, but rejects invalid UTF-8. `shown` is the
 * file's name in the error, by default its path.
 *
 * @throws {NotUtf8Error} with the position of the first invalid byte.
 */
export async function readTextFile(path: string, shown = path): Promise<string> {
  return decodeFile(await Deno.readFile(path), shown);
}

/** @module Values on the command line: text, JSON or bytes, and their media types. Pure. */

export const VALUE_TYPES = ["text", "json", "binary"] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

const MEDIA_TYPES: Readonly<Record<ValueType, string>> = {
  text: "text/plain; charset=utf-8",
  json: "application/json",
  binary: "application/octet-stream",
};
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Treats a JSON object or array as JSON, other UTF-8 as text, and anything else as bytes. */
function guessType(bytes: Uint8Array): ValueType {
  const text = textOf(bytes);
  if (text === undefined) return "binary";
  return /^\s*[[{]/.test(text) && parse(text) !== undefined ? "json" : "text";
}

/**
 * Returns the media type of a value. `given` takes precedence.
 *
 * @throws {SyntaxError} if the value does not match `given`.
 */
export function mediaTypeOf(bytes: Uint8Array, given: ValueType | undefined): string {
  const text = given === undefined || given === "binary" ? "" : textOf(bytes);
  if (text === undefined) throw new SyntaxError("It is not UTF-8");
  if (given === "json" && parse(text) === undefined) throw new SyntaxError("It is not JSON");
  return MEDIA_TYPES[given ?? guessType(bytes)];
}

/** A value as a field of a JSON object. Bytes that are not text are encoded in base64. */
interface ShownValue {
  readonly value: unknown;
  readonly encoding: "json" | "text" | "base64";
}

/** Converts a value to its form in JSON output. */
export function showValue(bytes: Uint8Array, contentType: string): ShownValue {
  const text = textOf(bytes);
  if (text === undefined) return { value: bytes.toBase64(), encoding: "base64" };
  const json = JSON_TYPE.test(contentType) ? parse(text) : undefined;
  return json === undefined
    ? { value: text, encoding: "text" }
    : { value: json.value, encoding: "json" };
}

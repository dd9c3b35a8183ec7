/**
 * @module Values in Deno KV: a small head for each key, parts for larger values, and expiry times.
 */
import * as z from "zod";
import type { Namespace } from "./types.ts";
import type { RecordKey } from "../store/mod.ts";

/** Maximum size of a value that is stored in the head itself, in bytes. */
const INLINE_BYTES = 1024;

/** Size of one part, in bytes. A Deno KV value is at most 64 KiB. */
const PART_BYTES = 60_000;

const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

const headSchema = z.object({
  size: z.int(),
  contentType: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.int().optional(),
  /** The value itself, or the ID of the value's parts. */
  inline: bytes.optional(),
  partsId: z.string().optional(),
});

export type Head = z.infer<typeof headSchema>;

/** First byte of a head that is stored as bytes. */
const HEAD_FORMAT = 1;

/** The format, and the length of the following JSON in two bytes, little-endian. */
const PREAMBLE = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Returns the stored form of a head: the value's metadata as JSON, then the value itself if it is
 * short. Bytes are stored unchanged on every version of the runtime (docs/decisions/store.md).
 */
export function encodeHead({ inline, ...rest }: Head): Uint8Array<ArrayBuffer> {
  const text = encoder.encode(JSON.stringify(rest));
  const encoded = new Uint8Array(PREAMBLE + text.length + (inline?.length ?? 0));
  encoded.set([HEAD_FORMAT, text.length & 0xff, text.length >> 8]);
  encoded.set(text, PREAMBLE);
  if (inline !== undefined) encoded.set(inline, PREAMBLE + text.length);
  return encoded;
}

function decodeHead(encoded: Uint8Array<ArrayBuffer>): Head {
  if (encoded[0] !== HEAD_FORMAT) {
    throw new TypeError(`Cannot read a value of format ${encoded[0]}: a newer svc wrote it`);
  }
  const end = PREAMBLE + encoded[1]! + (encoded[2]! << 8);
  const head = headSchema.parse(JSON.parse(decoder.decode(encoded.subarray(PREAMBLE, end))));
  return head.partsId === undefined ? { ...head, inline: encoded.subarray(end) } : head;
}

/** Reads the head of an entry. Returns `undefined` if there is no entry. */
export function parseHead(value: unknown): Head | undefined {
  if (value === null) return undefined;
  // Earlier versions stored objects.
  return value instanceof Uint8Array
    ? decodeHead(value as Uint8Array<ArrayBuffer>)
    : headSchema.parse(value);
}

/** The value of an entry whose key contains all the information. */
export const NO_VALUE = new Uint8Array();

/**
 * Converts the value of an entry to the current format. Returns `undefined` if the value is already
 * in that format.
 */
export function renewedValue(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return undefined;
  return value === true ? NO_VALUE : encodeHead(headSchema.parse(value));
}

/** The keys of a store below its root. */
export class KvKeys {
  readonly #root: RecordKey;

  constructor(root: RecordKey) {
    this.#root = root;
  }

  heads(namespace: readonly string[]): RecordKey {
    return [...this.#root, "heads", ...namespace];
  }

  head(namespace: Namespace, key: string): RecordKey {
    return [...this.heads(namespace), key];
  }

  allParts(namespace: readonly string[]): RecordKey {
    return [...this.#root, "parts", ...namespace];
  }

  parts(namespace: Namespace, id: string): RecordKey {
    return [...this.allParts(namespace), id];
  }

  allExpiries(): RecordKey {
    return [...this.#root, "expiry"];
  }

  expiry(at: number, namespace: Namespace, key: string): RecordKey {
    return [...this.allExpiries(), at, ...namespace, key];
  }
}

/** Splits a value into the parts to write. */
export function divide(
  value: Uint8Array<ArrayBuffer>,
  newId: () => string,
): { readonly head: Pick<Head, "inline" | "partsId">; readonly parts: Uint8Array[] } {
  if (value.byteLength <= INLINE_BYTES) return { head: { inline: value }, parts: [] };
  const parts: Uint8Array[] = [];
  for (let at = 0; at < value.byteLength; at += PART_BYTES) {
    parts.push(value.slice(at, at + PART_BYTES));
  }
  return { head: { partsId: newId() }, parts };
}

/** Returns the number of parts in which a head's value is stored. */
export const partCount = ({ size, partsId }: Head): number =>
  partsId === undefined ? 0 : Math.ceil(size / PART_BYTES);

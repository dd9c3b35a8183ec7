/**
 * How values lie in Deno KV: a small head for each key, larger values in parts
 * beside it, and an index of what expires when.
 *
 * @module
 */
import { z } from "zod";
import type { Namespace } from "./types.ts";

/** Values up to this size lie in the head itself, in bytes. */
const INLINE_BYTES = 1024;

/** Bytes of one part; a value of Deno KV has at most 64 KiB. */
const PART_BYTES = 60_000;

const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

const headSchema = z.object({
  size: z.int(),
  contentType: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.int().optional(),
  /** The value itself, or the id of its parts. */
  inline: bytes.optional(),
  partsId: z.string().optional(),
});

export type Head = z.infer<typeof headSchema>;

/** Reads the head of an entry; `undefined` where there is none. */
export function parseHead(value: unknown): Head | undefined {
  return value === null ? undefined : headSchema.parse(value);
}

/** The keys of a store below its root. */
export class KvKeys {
  constructor(private readonly root: Deno.KvKey) {}

  heads(namespace: readonly string[]): Deno.KvKey {
    return [...this.root, "heads", ...namespace];
  }

  head(namespace: Namespace, key: string): Deno.KvKey {
    return [...this.heads(namespace), key];
  }

  allParts(namespace: readonly string[]): Deno.KvKey {
    return [...this.root, "parts", ...namespace];
  }

  parts(namespace: Namespace, id: string): Deno.KvKey {
    return [...this.allParts(namespace), id];
  }

  allExpiries(): Deno.KvKey {
    return [...this.root, "expiry"];
  }

  expiry(at: number, namespace: Namespace, key: string): Deno.KvKey {
    return [...this.allExpiries(), at, ...namespace, key];
  }
}

/** Divides a value into what is written. */
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

/** How many parts a value of a size has. */
export const partCount = ({ size, partsId }: Head): number =>
  partsId === undefined ? 0 : Math.ceil(size / PART_BYTES);

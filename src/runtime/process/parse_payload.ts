/** @module Reads payloads from processes that run project code. */
import type { ZodType } from "zod";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a payload as JSON with a schema. Returns `undefined` if the payload is malformed or longer
 * than `maxBytes`.
 */
export function parsePayload<T>(
  schema: ZodType<T>,
  payload: Uint8Array,
  maxBytes = Infinity,
): T | undefined {
  if (payload.byteLength > maxBytes) return undefined;
  try {
    return schema.safeParse(JSON.parse(decoder.decode(payload))).data;
  } catch {
    return undefined;
  }
}

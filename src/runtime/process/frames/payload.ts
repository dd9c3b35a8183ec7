/**
 * @module Encodes and decodes JSON payloads. In workers, functions may have replaced the global
 * `JSON`, so this module captures its methods when it loads.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { parse, stringify } = JSON;

/** Encodes a head as JSON. */
export function toPayload(head: object): Uint8Array<ArrayBuffer> {
  return encoder.encode(stringify(head));
}

/** Decodes a head from a trusted peer, without checking it. */
export function fromPayload<T>(payload: Uint8Array): T {
  return parse(decoder.decode(payload));
}

/**
 * @module JSON payloads. In workers, functions may have replaced the global `JSON`, so its
 * functions are captured at load.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { parse, stringify } = JSON;

/** Encodes a head as JSON. */
export function toPayload(head: object): Uint8Array<ArrayBuffer> {
  return encoder.encode(stringify(head));
}

/** Decodes a head that a trusted peer has sent, unchecked. */
export function fromPayload<T>(payload: Uint8Array): T {
  return parse(decoder.decode(payload));
}

/**
 * Payloads that are JSON. Workers use this beside functions, which may have
 * replaced the global `JSON`: what it needs of that is taken at load.
 *
 * @module
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

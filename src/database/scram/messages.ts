/** @module The messages of SCRAM (RFC 5802, section 7): single-letter attributes. */

/** Thrown for a message that breaks the protocol. The error message is sent to the peer. */
export class ScramError extends Error {
  override readonly name = "ScramError";
}

/** Printable ASCII except the comma. */
const NONCE = /^[\x21-\x2b\x2d-\x7e]{1,256}$/;
const CLIENT_FIRST = /^([ny],(?:a=[^,]*)?,)(n=[^,]*,r=([^,]*)(?:,[^\0]*)?)$/;
const CLIENT_FINAL = /^(c=([^,]*),r=([^,]*)(?:,[^\0]*?)?),p=([A-Za-z0-9+/]{43}=)$/;
const SERVER_FIRST = /^r=([^,]*),s=([A-Za-z0-9+/]+=*),i=(\d{1,7})(?:,[^\0]*)?$/;

export interface ClientFirst {
  /** The client's channel binding flag, which is repeated in the last message. */
  readonly gs2Header: string;
  readonly bare: string;
  readonly nonce: string;
}

export function parseClientFirst(text: string): ClientFirst {
  if (text.startsWith("p=")) throw new ScramError("Channel binding is not supported");
  const [, gs2Header, bare, nonce] = CLIENT_FIRST.exec(text) ?? [];
  if (nonce === undefined || !NONCE.test(nonce)) {
    throw new ScramError("The client's first SCRAM message is malformed");
  }
  return { gs2Header: gs2Header!, bare: bare!, nonce };
}

interface ClientFinal {
  readonly withoutProof: string;
  /** The GS2 header that started the exchange, in base64. */
  readonly binding: string;
  readonly nonce: string;
  /** In base64. */
  readonly proof: string;
}

export function parseClientFinal(text: string): ClientFinal {
  const [, withoutProof, binding, nonce, proof] = CLIENT_FINAL.exec(text) ?? [];
  if (proof === undefined) throw new ScramError("The client's last SCRAM message is malformed");
  return { withoutProof: withoutProof!, binding: binding!, nonce: nonce!, proof };
}

interface ServerFirst {
  readonly nonce: string;
  /** In base64. */
  readonly salt: string;
  readonly iterations: number;
}

export function parseServerFirst(text: string): ServerFirst {
  const [, nonce, salt, iterations] = SERVER_FIRST.exec(text) ?? [];
  if (iterations === undefined) {
    throw new ScramError("The server's first SCRAM message is malformed");
  }
  return { nonce: nonce!, salt: salt!, iterations: Number(iterations) };
}

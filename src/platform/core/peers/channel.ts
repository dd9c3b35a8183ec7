/**
 * Encrypts the traffic between two nodes with keys that both derive from `keys.json`. The network
 * needs no TLS, and only processes that have the file can send requests. Both nodes contribute a
 * salt, so a key never seals twice with the same nonce, even if someone replays a recorded request.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import * as z from "zod";
import type { Random } from "../../../lib/clock.ts";
import type { SecretBox } from "../secrets/mod.ts";
import { PeerError } from "./peer_error.ts";

const SALT_BYTES = 32;
const LENGTH_BYTES = 4;
const NONCE_BYTES = 12;
/** Maximum length of a sealed part of a response, in bytes. */
const MAX_FRAME = 16 * 1024 * 1024;
/** Maximum difference between the clocks of two nodes, in milliseconds. */
const MAX_SKEW_MS = 60_000;

type Bytes = Uint8Array<ArrayBuffer>;
type Keys = Pick<SecretBox, "deriveKey">;

export const sealedQuestion = z.object({
  keyId: z.string().max(64),
  salt: z.base64().max(64),
  sealed: z.base64().max(96 * 1024),
});
type SealedQuestion = z.infer<typeof sealedQuestion>;

const questionSchema = z.object({
  /** The process to ask. */
  to: z.string(),
  time: z.number(),
  name: z.string(),
  data: z.unknown(),
});
type OpenedQuestion = z.infer<typeof questionSchema>;

/** Makes a nonce from a counter, which is safe because each key seals only one stream. */
function nonceOf(count: number): Bytes {
  const nonce = new Uint8Array(NONCE_BYTES);
  new DataView(nonce.buffer).setBigUint64(4, BigInt(count));
  return nonce;
}

const joined = (...parts: readonly Uint8Array[]): Bytes => {
  const all = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
};

const seal = async (key: CryptoKey, count: number, text: string): Promise<Bytes> =>
  new Uint8Array(
    await crypto.subtle.encrypt(
      { name: "AES-GCM", iv: nonceOf(count) },
      key,
      new TextEncoder().encode(text),
    ),
  );

const open = async (key: CryptoKey, count: number, bytes: Bytes): Promise<string> =>
  new TextDecoder().decode(
    await crypto.subtle.decrypt({ name: "AES-GCM", iv: nonceOf(count) }, key, bytes),
  );

const ofQuestion = (salt: Bytes, keyId?: string) => ({
  purpose: "svc question between nodes",
  salt,
  keyId,
});
const ofAnswer = (question: Bytes, answer: Bytes, keyId: string) => ({
  purpose: "svc answer between nodes",
  salt: joined(question, answer),
  keyId,
});

/** Seals a request. The salt opens its response. */
export async function sealQuestion(
  question: OpenedQuestion,
  { box, random }: { readonly box: Keys; readonly random: Random },
): Promise<{ readonly sealed: SealedQuestion; readonly salt: Bytes }> {
  const salt = random(SALT_BYTES);
  const { keyId, key } = await box.deriveKey(ofQuestion(salt));
  const sealed = await seal(key, 0, JSON.stringify(question));
  const base64 = (bytes: Bytes) => Buffer.from(bytes).toString("base64");
  return { sealed: { keyId, salt: base64(salt), sealed: base64(sealed) }, salt };
}

/** @throws {PeerError} unless the request is new and for this process. */
export async function openQuestion(
  { keyId, salt: salt64, sealed }: SealedQuestion,
  { box, instance, now }: { readonly box: Keys; readonly instance: string; readonly now: number },
): Promise<{ readonly question: OpenedQuestion; readonly salt: Bytes }> {
  const salt = Uint8Array.from(Buffer.from(salt64, "base64"));
  let text: string;
  try {
    const { key } = await box.deriveKey(ofQuestion(salt, keyId));
    text = await open(key, 0, Uint8Array.from(Buffer.from(sealed, "base64")));
  } catch (cause) {
    throw new PeerError("has different keys. All nodes need the same keys file", { cause });
  }
  const question = questionSchema.parse(JSON.parse(text));
  if (question.to !== instance) throw new PeerError("is a different process at this address");
  if (Math.abs(now - question.time) > MAX_SKEW_MS) {
    throw new PeerError("has a clock that differs by more than a minute");
  }
  return { question, salt };
}

/** Seals a response's parts, in order. */
export class AnswerSealer {
  #count = 0;

  readonly #key: CryptoKey;

  private constructor(readonly salt: Bytes, key: CryptoKey) {
    this.#key = key;
  }

  static async make(
    { keyId, question }: { readonly keyId: string; readonly question: Bytes },
    { box, random }: { readonly box: Keys; readonly random: Random },
  ): Promise<AnswerSealer> {
    const salt = random(SALT_BYTES);
    return new AnswerSealer(salt, (await box.deriveKey(ofAnswer(question, salt, keyId))).key);
  }

  async seal(part: unknown): Promise<Bytes> {
    const sealed = await seal(this.#key, this.#count++, JSON.stringify(part));
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, sealed.byteLength);
    return joined(length, sealed);
  }
}

/** @throws {PeerError} if a part was changed or left out, or arrives twice. */
export async function* openAnswer(
  body: AsyncIterable<Bytes>,
  { keyId, question, box }: {
    readonly keyId: string;
    readonly question: Bytes;
    readonly box: Keys;
  },
): AsyncGenerator<unknown> {
  let rest: Bytes = new Uint8Array();
  let key: CryptoKey | undefined;
  let count = 0;
  for await (const chunk of body) {
    rest = rest.byteLength === 0 ? chunk : joined(rest, chunk);
    if (key === undefined) {
      if (rest.byteLength < SALT_BYTES) continue;
      key = (await box.deriveKey(ofAnswer(question, rest.slice(0, SALT_BYTES), keyId))).key;
      rest = rest.slice(SALT_BYTES);
    }
    while (rest.byteLength >= LENGTH_BYTES) {
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
      if (length > MAX_FRAME) throw new PeerError("sent an invalid response");
      if (rest.byteLength < LENGTH_BYTES + length) break;
      const sealed = rest.slice(LENGTH_BYTES, LENGTH_BYTES + length);
      rest = rest.slice(LENGTH_BYTES + length);
      let text: string;
      try {
        text = await open(key, count++, sealed);
      } catch (cause) {
        throw new PeerError("sent a response that was modified in transit", { cause });
      }
      yield JSON.parse(text);
    }
  }
}

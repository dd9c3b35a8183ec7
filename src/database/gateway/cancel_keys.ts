/**
 * @module The gateway's own cancel keys. They are needed because keys from the engines can collide
 * between branches.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { backendKeyData, concatBytes, splitFrames } from "../wire/messages.ts";

const SECRET_BYTES = 4;

interface Session {
  readonly secret: Uint8Array;
  cancel(): Promise<void>;
}

interface CancelKey {
  /** Replaces the engine's key with this one. */
  inGreeting(greeting: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /** Invalidates the key. */
  remove(): void;
}

export class CancelKeys {
  readonly #sessions = new Map<number, Session>();

  add(cancel: () => Promise<void>): CancelKey {
    const processId = this.#freeId();
    const secret = new Uint8Array(randomBytes(SECRET_BYTES));
    this.#sessions.set(processId, { secret, cancel });
    return {
      inGreeting: (greeting) => replaceKey(greeting, backendKeyData(processId, secret)),
      remove: () => void this.#sessions.delete(processId),
    };
  }

  /** Cancels the running statement of the key's session, if there is one. */
  async cancel(processId: number, secret: Uint8Array): Promise<void> {
    const session = this.#sessions.get(processId);
    if (session === undefined || secret.byteLength !== SECRET_BYTES) return;
    if (timingSafeEqual(session.secret, secret)) await session.cancel();
  }

  #freeId(): number {
    for (;;) {
      const id = randomBytes(4).readUInt32BE() & 0x7fff_ffff;
      if (id !== 0 && !this.#sessions.has(id)) return id;
    }
  }
}

/**
 * Replaces the engine's key in a greeting. `ReadyForQuery` is the end of the greeting, and the key
 * comes before it.
 */
function replaceKey(
  greeting: Uint8Array<ArrayBuffer>,
  key: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const others = splitFrames(greeting).filter(({ letter }) => letter !== "K");
  const parts = others.flatMap(({ letter, bytes }) => letter === "Z" ? [key, bytes] : [bytes]);
  return concatBytes(parts);
}

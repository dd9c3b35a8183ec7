/**
 * @module Short strings that only this platform can write and read. They are encrypted and
 * authenticated with AES-256-GCM. Each is bound to one purpose, and expires.
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv } from "node:crypto";
import * as z from "zod";
import type { Random } from "../../lib/clock.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";
/** Maximum length of a token, in characters. */
const MAX_TOKEN = 8192;

const base = { host: z.string(), projectId: z.string(), endsAt: z.number() };

/** The content of each kind of token. */
const PURPOSES = {
  /** Sent from a protected host to the platform, to request access for a browser. */
  request: z.object({
    ...base,
    workspaceId: z.string(),
    origin: z.string(),
    to: z.string(),
    browser: z.string(),
  }),
  /** Sent back from the platform once the member has signed in. Works only once. */
  grant: z.object({
    ...base,
    id: z.string(),
    to: z.string(),
    browser: z.string(),
    userId: z.string(),
    session: z.string(),
  }),
  /** Gives a release's checks access to its host. */
  check: z.object({ ...base, deploymentId: z.string() }),
  /** The content of a host's access cookie. */
  pass: z.discriminatedUnion("by", [
    z.object({ ...base, by: z.literal("member"), userId: z.string(), session: z.string() }),
    z.object({ ...base, by: z.literal("share"), shareId: z.string() }),
    z.object({ ...base, by: z.literal("password"), passwordId: z.string() }),
    z.object({ ...base, by: z.literal("bypass"), bypassHash: z.string() }),
  ]),
} as const;

type Purpose = keyof typeof PURPOSES;
export type TokenContent<P extends Purpose> = z.infer<(typeof PURPOSES)[P]>;

/** Holds the 32-byte key for a platform's tokens, and the source of nonces. */
interface TokenKey {
  readonly key: Uint8Array;
  readonly random: Random;
}

const purposeBytes = (purpose: Purpose) => Buffer.from(`svc access ${purpose}`);

export function sealToken<P extends Purpose>(
  purpose: P,
  content: TokenContent<P>,
  { key, random }: TokenKey,
): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(purposeBytes(purpose));
  const sealed = [cipher.update(JSON.stringify(content), "utf8"), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString("base64url");
}

/**
 * Reads a token. Returns `undefined` if the token has expired, was changed, or belongs to another
 * platform or purpose.
 */
export function openToken<P extends Purpose>(
  purpose: P,
  token: string,
  { key, now }: { readonly key: Uint8Array; readonly now: number },
): TokenContent<P> | undefined {
  if (token.length > MAX_TOKEN || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  if (bytes.byteLength <= NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(purposeBytes(purpose));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString("utf8");
    const content = PURPOSES[purpose].parse(JSON.parse(text)) as TokenContent<P>;
    return now < content.endsAt ? content : undefined;
  } catch {
    return undefined;
  }
}

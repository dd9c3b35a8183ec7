/** @module Signs webhooks (Standard Webhooks 1.0: standardwebhooks.com). Pure. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { Random } from "./clock.ts";

const PREFIX = "whsec_";
/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export function mintWebhookSecret(random: Random): string {
  return `${PREFIX}${Buffer.from(random(SECRET_BYTES)).toString("base64")}`;
}

/** Returns `v1,` followed by the HMAC-SHA256 of the ID, timestamp and body, in Base64. */
export function signWebhook(message: {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const { id, timestamp, body } = message;
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return `v1,${signature.digest("base64")}`;
}

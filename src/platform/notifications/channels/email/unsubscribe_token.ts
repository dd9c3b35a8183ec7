/** The signed token that turns off emails of one category without signing in (RFC 8058). @module */
import { EVENT_CATEGORIES, type EventCategory } from "../../../../contract/events.ts";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { equalInConstantTime } from "../../../../lib/hash.ts";
import { isUuid } from "../../../../lib/ids.ts";

export interface Unsubscription {
  readonly userId: string;
  readonly category: EventCategory;
}

function signatureOf({ userId, category }: Unsubscription, key: string): string {
  const text = `svc unsubscribe\n${userId}\n${category}`;
  return createHmac("sha256", Buffer.from(key, "base64url")).update(text).digest("base64url");
}

/** Creates the token. `key` is 32 bytes in base64url. */
export function signUnsubscription(unsubscription: Unsubscription, key: string): string {
  return `${unsubscription.userId}.${unsubscription.category.toLowerCase()}.${
    signatureOf(unsubscription, key)
  }`;
}

/** Reads a token. Returns `undefined` if the signature is wrong. */
export function readUnsubscription(token: string, key: string): Unsubscription | undefined {
  const [userId = "", name = "", signature = "", ...rest] = token.split(".");
  const category = EVENT_CATEGORIES.find((each) => each.toLowerCase() === name);
  if (rest.length > 0 || !isUuid(userId) || category === undefined) return undefined;
  const unsubscription = { userId, category };
  return equalInConstantTime(signature, signatureOf(unsubscription, key))
    ? unsubscription
    : undefined;
}

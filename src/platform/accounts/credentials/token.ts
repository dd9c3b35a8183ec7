/**
 * Secrets that are shown once: 256 random bits in base64url. Only their SHA-256 is stored. With
 * that much entropy, a slow hash would add no protection.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { Random } from "../../../lib/clock.ts";
import { sha256Hex } from "../../../lib/hash.ts";

/** The purpose of a token. A hash of one kind is not valid for another kind. */
export type TokenKind =
  | "session"
  | "access token"
  | "invitation"
  | "owner link"
  | "mail link"
  | "challenge"
  | "authorization code"
  | "refresh token";

const PREFIX: Readonly<Partial<Record<TokenKind, string>>> = {
  "access token": "svct_",
  "refresh token": "svcr_",
};

/** Number of characters of an access token that can be shown: the scheme and 24 bits. */
const SHOWN = 9;

export function mintToken(kind: TokenKind, random: Random): string {
  return `${PREFIX[kind] ?? ""}${Buffer.from(random(32)).toString("base64url")}`;
}

export function hashToken(kind: TokenKind, token: string): string {
  return sha256Hex(`svc ${kind}\n${token}`);
}

export function isAccessToken(token: string): boolean {
  return token.startsWith("svct_");
}

/** Returns the part of an access token that can be shown in lists. */
export function tokenPrefix(token: string): string {
  return token.slice(0, SHOWN);
}

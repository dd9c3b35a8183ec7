/** A cached credential, so most requests do not need to read the store. @module */
import { ACCESS_TOKEN_IDLE_MS, SESSION_IDLE_MS, SESSION_MAX_MS } from "./credential.ts";
import type { Caller, CredentialOwner, KeyGrant, Role } from "../../core/access/mod.ts";

export interface KnownCredential {
  readonly owner: CredentialOwner;
  /** The maximum role; for some API keys, it is lower than the user's role. */
  readonly role: Role;
  /** Limits of an API key; `undefined` for sessions and CLI tokens. */
  readonly grant: KeyGrant | undefined;
  readonly createdAt: number;
  /** When the credential expires, even if it is in use. */
  readonly endsAt: number;
  /** IP address from which the session or token was started; null for API keys. */
  readonly begunAt: string | null;
  usedAt: number;
  /** When a use of the credential was last written to the store. */
  notedAt: number;
  address: string | null;
  country: string | null;
  /** When the credential was last seen in that country. */
  countryAt: number;
  /** When a second country was last reported. */
  warnedAt: number;
}

const IDLE_MS: Readonly<Record<Caller["credential"]["type"], number>> = {
  api_key: Infinity,
  access_token: ACCESS_TOKEN_IDLE_MS,
  session: SESSION_IDLE_MS,
};

export function hasEnded(known: KnownCredential, now: number): boolean {
  const { type } = known.owner.credential;
  if (now >= known.endsAt) return true;
  if (now - known.usedAt >= IDLE_MS[type]) return true;
  return type === "session" && now - known.createdAt >= SESSION_MAX_MS;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, developer: 1, owner: 2 };

/** Returns whether a role includes the permissions of the role `wanted`. */
export function mayActAs(role: Role, wanted: Role): boolean {
  return RANK[role] >= RANK[wanted];
}

/** Returns the lower of two roles. */
export function lesserRole(one: Role, other: Role): Role {
  return RANK[one] <= RANK[other] ? one : other;
}

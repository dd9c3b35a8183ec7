/** Accounts and their credentials in wire format. @module */
import type { Account, Session, Tool } from "../../contract/accounts.ts";
import type { ApiKey } from "../../contract/api_keys.ts";
import type { Identity } from "../../contract/identity.ts";
import type { KeyGrant } from "../core/access/mod.ts";
import type { UserRecord } from "./account_store.ts";
import type { ApiKeyRecord } from "./api_keys/api_key.ts";
import {
  type AccessTokenRecord,
  type LastUse,
  SESSION_MAX_MS,
  type SessionRecord,
} from "./credentials/credential.ts";
import type { SignInRecord } from "./sign_in/sign_in_store.ts";

const iso = (time: number): string => new Date(time).toISOString();

export function accountToWire(user: UserRecord, signIn: SignInRecord): Account {
  const { id, name, email, signUpMethod } = user;
  return {
    id,
    name,
    email,
    signUpMethod,
    hasPassword: signIn.password !== null,
    twoFactorEnabled: signIn.totp !== null,
    createdAt: iso(user.createdAt),
  };
}

export function sessionToWire(
  session: SessionRecord,
  seen: { readonly use: LastUse | undefined; readonly currentId: string },
): Session {
  const { id, name, createdAt } = session;
  return {
    id,
    name,
    address: seen.use?.address ?? session.address,
    country: seen.use?.country ?? session.country,
    current: id === seen.currentId,
    createdAt: iso(createdAt),
    lastUsedAt: iso(seen.use?.at ?? createdAt),
    expiresAt: iso(createdAt + SESSION_MAX_MS),
  };
}

export function toolToWire(
  token: AccessTokenRecord,
  seen: { readonly use: LastUse | undefined; readonly workspace: string },
): Tool {
  const { id, name, prefix } = token;
  return {
    id,
    name,
    prefix,
    workspace: seen.workspace,
    address: seen.use?.address ?? token.address,
    createdAt: iso(token.createdAt),
    lastUsedAt: seen.use === undefined ? null : iso(seen.use.at),
  };
}

export function apiKeyToWire(apiKey: ApiKeyRecord, use: LastUse | undefined): ApiKey {
  const { id, name, prefix, role, userId, createdAt, expiresAt } = apiKey;
  const { permissions, projects, description, publisherIds } = apiKey;
  return {
    id,
    name,
    prefix,
    role,
    permissions,
    projects,
    description,
    expiresAt: expiresAt === null ? null : iso(expiresAt),
    publisherId: publisherIds[0] ?? null,
    createdBy: userId,
    createdAt: iso(createdAt),
    lastUsedAt: use === undefined ? null : iso(use.at),
    lastAddress: use?.address ?? null,
  };
}

export function grantToWire(
  { permissions, projects, expiresAt }: KeyGrant,
): NonNullable<Identity["grant"]> {
  return {
    permissions: [...permissions],
    projects: projects && [...projects],
    expiresAt: expiresAt === null ? null : iso(expiresAt),
  };
}

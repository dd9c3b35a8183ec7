/** The caller of a request, as determined by authentication and passed to handlers. @module */
import type { Identity, Role } from "../../../contract/identity.ts";
import type { Permission } from "../../../contract/permissions.ts";

export type { Role };

export interface CallerUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

export type Credential = Readonly<Identity["credential"]>;

export interface CredentialOwner {
  readonly user: CallerUser;
  readonly credential: Credential;
  /** Hash under which the credential is stored. */
  readonly hash: string;
  /** The credential's workspace; null for a session. */
  readonly workspaceId: string | null;
}

/**
 * The part of a person's own resources that a request can access. Services accept this scope
 * instead of a user ID, so an API key or CLI token never grants access beyond its workspace.
 */
export interface PersonalScope {
  readonly userId: string;
  /** The only workspace in scope; null for everything in the account. */
  readonly workspaceId: string | null;
}

/** The caller of an endpoint that serves their own resources (access `self`). */
export interface SelfCaller extends PersonalScope {
  readonly credential: Credential;
  readonly hash: string;
}

/** A person using a browser, in no particular workspace (access `account`). */
export interface Person extends CredentialOwner {
  readonly workspaceId: null;
}

/** Returns a credential's scope: everything for a session, or its workspace for a key or token. */
export const selfCallerOf = (
  { user, workspaceId, credential, hash }: CredentialOwner,
): SelfCaller => ({
  userId: user.id,
  workspaceId,
  credential,
  hash,
});

export function isInScope(scope: PersonalScope, workspaceId: string | null): boolean {
  return scope.workspaceId === null || scope.workspaceId === workspaceId;
}

export interface KeyGrant {
  readonly permissions: readonly Permission[];
  readonly projects: readonly string[] | null;
  /** When the key expires, in milliseconds; null if it never does. */
  readonly expiresAt: number | null;
}

/** Returns whether a caller can access a project in its workspace. */
export function reachesProject({ grant }: Pick<Caller, "grant">, projectId: string): boolean {
  return grant === undefined || grant.projects === null || grant.projects.includes(projectId);
}

export function isPermitted({ grant }: Pick<Caller, "grant">, permission: Permission): boolean {
  return grant === undefined || grant.permissions.includes("everything") ||
    grant.permissions.includes(permission);
}

/** A caller in the request's workspace. */
export interface Caller {
  readonly user: CallerUser;
  readonly workspace: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly role: Role;
  };
  readonly credential: Credential;
  readonly grant?: KeyGrant | undefined;
}

/**
 * Who is calling: the result of authentication that handlers work with.
 *
 * @module
 */
import type { Identity, Role } from "../../../contract/identity.ts";
import type { Permission } from "../../../contract/permissions.ts";

export type { Role };

export interface CallerUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** An API key, a tool's access token, or a browser session. */
export type Credential = Readonly<Identity["credential"]>;

/** A valid credential and the account that it belongs to. */
export interface CredentialOwner {
  readonly user: CallerUser;
  readonly credential: Credential;
  /** Hash under which the credential is stored. */
  readonly hash: string;
  /** The workspace that the credential is bound to; a session is bound to none. */
  readonly workspaceId: string | null;
}

/**
 * Which of a person's own resources a request may reach. Services take it
 * instead of a user id, so that an API key or a tool's token never reaches
 * beyond its workspace.
 */
export interface PersonalScope {
  readonly userId: string;
  /** The one workspace whose resources are in scope; null for everything of the account. */
  readonly workspaceId: string | null;
}

/** Who calls an endpoint for their own resources (access `self`). */
export interface SelfCaller extends PersonalScope {
  readonly credential: Credential;
  /** Hash under which the credential is stored. */
  readonly hash: string;
}

/** A person at a browser, in no particular workspace (access `account`). */
export interface Person extends CredentialOwner {
  readonly workspaceId: null;
}

/** The scope of a credential: everything for a session, its workspace for a key or token. */
export const selfCallerOf = (
  { user, workspaceId, credential, hash }: CredentialOwner,
): SelfCaller => ({
  userId: user.id,
  workspaceId,
  credential,
  hash,
});

/** Whether a resource of a workspace, or of the account itself (null), is in scope. */
export function isInScope(scope: PersonalScope, workspaceId: string | null): boolean {
  return scope.workspaceId === null || scope.workspaceId === workspaceId;
}

/** The limits of an API key: permissions, and projects; null for the whole workspace. */
export interface KeyGrant {
  readonly permissions: readonly Permission[];
  readonly projects: readonly string[] | null;
  /** When the key ends, in milliseconds; null for never. */
  readonly expiresAt: number | null;
}

/** Whether a caller reaches a project of its workspace. */
export function reachesProject({ grant }: Pick<Caller, "grant">, projectId: string): boolean {
  return grant === undefined || grant.projects === null || grant.projects.includes(projectId);
}

/** Whether a caller has a permission. */
export function isPermitted({ grant }: Pick<Caller, "grant">, permission: Permission): boolean {
  return grant === undefined || grant.permissions.includes("everything") ||
    grant.permissions.includes(permission);
}

/** A caller in the workspace that the request is for. */
export interface Caller {
  readonly user: CallerUser;
  readonly workspace: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly role: Role;
  };
  readonly credential: Credential;
  /** The limits of an API key; people and their CLIs have none. */
  readonly grant?: KeyGrant | undefined;
}

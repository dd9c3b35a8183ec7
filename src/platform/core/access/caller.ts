/**
 * Who is calling: the result of authentication that handlers work with.
 *
 * @module
 */
import type { Identity, Role } from "../../../contract/mod.ts";

export type { Role };

export interface CallerUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** An API key, a tool's access token, or a browser session. */
export type Credential = Readonly<Identity["credential"]>;

/** Whoever has a valid credential. */
export interface Holder {
  readonly user: CallerUser;
  readonly credential: Credential;
  /** Hash under which the credential is stored. */
  readonly hash: string;
  /** The workspace that the credential is bound to; a session is bound to none. */
  readonly workspaceId: string | null;
}

/**
 * How far a request reaches among a person's own things. Services take it in
 * place of a user's id, so that a key or a tool's token never gets beyond its
 * workspace.
 */
export interface OwnReach {
  readonly userId: string;
  /** The one workspace whose things are reached; null for everything of the account. */
  readonly workspaceId: string | null;
}

/** Whoever asks for their own things (access `self`). */
export interface Own extends OwnReach {
  readonly credential: Credential;
  /** Hash under which the credential is stored. */
  readonly hash: string;
}

/** A person at a browser, in no particular workspace (access `account`). */
export interface Person extends Holder {
  readonly workspaceId: null;
}

/** What a holder reaches: a session everything, a key or token its workspace. */
export const ownOf = ({ user, workspaceId, credential, hash }: Holder): Own => ({
  userId: user.id,
  workspaceId,
  credential,
  hash,
});

/** Whether something of a workspace, or of the account itself (null), is within reach. */
export function isInReach(reach: OwnReach, workspaceId: string | null): boolean {
  return reach.workspaceId === null || reach.workspaceId === workspaceId;
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
}

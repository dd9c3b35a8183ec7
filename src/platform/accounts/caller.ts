/**
 * Who is calling: the result of authentication that handlers work with.
 *
 * @module
 */
import type { Identity, Role } from "../../contract/mod.ts";

export type { Role };

export interface CallerUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** An API key, a tool's access token, or a browser session. */
export type Credential = Readonly<Identity["credential"]>;

/** Whoever has a valid credential, in no particular workspace (access `self`). */
export interface Holder {
  readonly user: CallerUser;
  readonly credential: Credential;
  /** Hash under which the credential is stored. */
  readonly hash: string;
  /** The workspace that the credential is bound to; a session is bound to none. */
  readonly workspaceId: string | null;
}

/** A person at a browser, in no particular workspace (access `account`). */
export interface Person extends Holder {
  readonly workspaceId: null;
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

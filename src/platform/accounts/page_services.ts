/**
 * What the server-rendered pages (`web/`) call in-process. `services.pages` is
 * one of these. Every method throws a `Failure` (`http/failure.ts`) whose
 * message can be shown to people as it is; `failure.retryAfter` holds the
 * seconds to wait where `failure.code` is `rate_limited`.
 *
 * How a page handles a request:
 *
 * 1. `client` comes with the request from the router.
 * 2. `const person = await pages.person(request, client)` is who is signed in;
 *    `undefined` sends them to the sign-in page.
 * 3. Every form has a hidden field `csrf`, and every POST of one calls
 *    `pages.checkForm(request, { csrf, person })` before anything else. Forms
 *    before sign-in have no person, and need no field: the origin is checked.
 * 4. A `SignedIn` answer has two cookies: send each as `Set-Cookie` with a 303.
 * 5. Only redirect to `safeReturnPath(next)`: never to another site.
 *
 * @module
 */
import type { DeviceRequest } from "./device_login/types.ts";
import type { Client } from "../core/http/client.ts";
import type { Account, Role, SecurityEvent, Session, Tool, Workspace } from "../../contract/mod.ts";
import type { Person } from "../core/access/caller.ts";

export interface SignedIn {
  readonly status: "signed_in";
  readonly account: Account;
  /** Value of the `Set-Cookie` header that carries the new session. */
  readonly setCookie: string;
  /** The same, of the cookie by which this browser is known again. */
  readonly deviceCookie: string;
}

export interface FactorWanted {
  readonly status: "two_factor_required";
  /** Stands for the right password for 5 minutes: a hidden field of the next form. */
  readonly challenge: string;
}

/** The account is made once a link in a mail is followed. */
export interface ConfirmationWanted {
  readonly status: "confirmation_required";
}

/** The account as it is with its new address. */
export interface EmailAdded {
  readonly status: "added";
  readonly account: Account;
}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** Path to go on to when the account is confirmed. */
  readonly next?: string | undefined;
}

/** An invitation as its link shows it, before it is accepted. */
export interface OpenInvitation {
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly role: Role;
  readonly invitedBy: string;
}

export interface PageServices {
  /** Who is signed in, by the session cookie; a session that ended is nobody. */
  person(request: Request, client: Client): Promise<Person | undefined>;
  /** The value of the field `csrf` of every form that a person is shown. */
  csrfToken(person: Person): string;
  /** @throws {Failure} `forbidden` where another site sent the form. */
  checkForm(request: Request, form: {
    readonly csrf: string | null;
    readonly person: Person | undefined;
  }): void;

  signUp(wanted: NewAccount, client: Client): Promise<SignedIn | ConfirmationWanted>;
  /** Follows the link of a confirmation mail. @throws {Failure} `not_found`. */
  confirmSignUp(
    token: string,
    client: Client,
  ): Promise<{ readonly signedIn: SignedIn; readonly next: string }>;
  /** Whether the platform sends mail, so that a forgotten password can be replaced. */
  readonly canResetPasswords: boolean;
  requestPasswordReset(email: string, client: Client): Promise<void>;
  isPasswordResetOpen(token: string, client: Client): Promise<boolean>;
  /** @throws {Failure} `not_found` where the link is used, old or void. */
  resetPassword(
    given: { readonly token: string; readonly password: string },
    client: Client,
  ): Promise<void>;
  signIn(
    given: { readonly email: string; readonly password: string },
    client: Client,
  ): Promise<SignedIn | FactorWanted>;
  secondFactor(
    given: { readonly challenge: string; readonly code: string },
    client: Client,
  ): Promise<SignedIn>;
  /** Ends the session; returns the `Set-Cookie` that removes the cookie. */
  signOut(person: Person): Promise<string>;

  /** Whether the token of a `/welcome/<token>` link can still be used. */
  isOwnerLinkOpen(token: string, client: Client): Promise<boolean>;
  /** Uses the link: sets the owner's email and password and signs in. */
  claimOwner(wanted: NewAccount & { readonly token: string }, client: Client): Promise<SignedIn>;

  account(person: Person): Promise<Account>;
  changePassword(
    person: Person,
    change: { readonly current: string; readonly next: string },
    client: Client,
  ): Promise<void>;
  /** Whether the session is young enough to stand for the password of an account without one. */
  isFresh(person: Person): boolean;
  /** Gives an account that has none an address and a password. */
  addEmail(
    person: Person,
    wanted: { readonly email: string; readonly password: string },
    client: Client,
  ): Promise<EmailAdded | ConfirmationWanted>;
  /** Follows the link of the mail. @throws {Failure} `not_found`. */
  confirmEmail(person: Person, token: string, client: Client): Promise<Account>;
  /** Starts enrolment; the secret is sealed until a code confirms it. */
  startTwoFactor(
    person: Person,
    given: { readonly password?: string | undefined },
    client: Client,
  ): Promise<{ readonly secret: string; readonly uri: string }>;
  /** Turns the second factor on; the recovery codes are shown this once. */
  confirmTwoFactor(
    person: Person,
    given: { readonly code: string },
    client: Client,
  ): Promise<{ readonly recoveryCodes: string[] }>;
  disableTwoFactor(
    person: Person,
    given: { readonly password?: string | undefined; readonly code: string },
    client: Client,
  ): Promise<void>;
  renewRecoveryCodes(
    person: Person,
    given: { readonly code: string },
    client: Client,
  ): Promise<{ readonly recoveryCodes: string[] }>;

  sessions(person: Person): Promise<Session[]>;
  revokeSession(person: Person, sessionId: string): Promise<void>;
  tools(person: Person): Promise<Tool[]>;
  revokeTool(person: Person, toolId: string): Promise<void>;
  /** The latest events about the account, newest first, at most 100. */
  securityEvents(person: Person): Promise<SecurityEvent[]>;

  workspaces(person: Person): Promise<Workspace[]>;
  createWorkspace(
    person: Person,
    wanted: { readonly slug: string; readonly name: string },
  ): Promise<Workspace>;
  /** What a `/invitation/<token>` link is for; `undefined` where it is used, old or wrong. */
  findInvitation(token: string, client: Client): Promise<OpenInvitation | undefined>;
  acceptInvitation(
    person: Person,
    given: { readonly token: string },
    client: Client,
  ): Promise<Workspace>;

  /**
   * The device authorization that waits under a user code, for `/device`. The
   * code is taken in any case, with or without hyphen. Wrong codes are counted.
   *
   * @throws {Failure} `not_found` where none waits, `rate_limited` after guessing.
   */
  findDevice(person: Person, userCode: string, client: Client): Promise<DeviceRequest>;
  /** Gives the tool a token for one of the person's workspaces (by id). */
  approveDevice(
    person: Person,
    given: { readonly userCode: string; readonly workspaceId: string },
    client: Client,
  ): Promise<void>;
  denyDevice(
    person: Person,
    given: { readonly userCode: string },
    client: Client,
  ): Promise<void>;
}

/**
 * The path to go on to after sign-in: the given one where it is a path of
 * this site, else `/`. Backslashes, `//` and control characters, which
 * browsers read as another host, are refused.
 */
export function safeReturnPath(next: string | null | undefined): string {
  // deno-lint-ignore no-control-regex -- browsers drop these from addresses
  const isPath = typeof next === "string" && /^\/(?![/\\])[^\\\x00-\x20\x7f]*$/.test(next);
  return isPath ? next : "/";
}

/**
 * What the services of accounts take and return besides records.
 *
 * @module
 */
import type { Account } from "../../contract/mod.ts";

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

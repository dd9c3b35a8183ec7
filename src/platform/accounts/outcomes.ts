/** Inputs and results of the account services that are not records. @module */
import type { Account } from "../../contract/accounts.ts";

export interface SignedIn {
  readonly status: "signed_in";
  readonly account: Account;
  /** Value of the `Set-Cookie` header that carries the new session. */
  readonly setCookie: string;
  /** Value of the `Set-Cookie` header that marks this browser as known. */
  readonly deviceCookie: string;
}

export interface FactorWanted {
  readonly status: "two_factor_required";
  /**
   * A token that proves for 5 minutes that the password was right. The next form sends it in a
   * hidden field.
   */
  readonly challenge: string;
}

/** The account is created when its owner follows the link in an email. */
export interface ConfirmationWanted {
  readonly status: "confirmation_required";
}

export interface EmailAdded {
  readonly status: "added";
  readonly account: Account;
}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** Path to redirect to after confirmation. */
  readonly next?: string | undefined;
}

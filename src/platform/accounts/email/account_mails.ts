/**
 * The texts of the mails about a person's own account. Pure.
 *
 * @module
 */

/** A mail to one person, about their account and for no one else. */
export interface AccountMail {
  readonly to: string;
  readonly subject: string;
  /** Plain text; a link stands on a line of its own. */
  readonly text: string;
}

/**
 * Hands a mail over to be sent until its link expires. Resolves when it is stored; may reject.
 * Without a mail it takes as long, and nothing is sent.
 */
export type SendAccountMail = (
  mail: AccountMail | undefined,
  expiresAt: number,
) => Promise<void>;

const lines = (...paragraphs: string[]): string => `${paragraphs.join("\n\n")}\n`;

const IGNORE = "If that was not you, ignore this mail: nothing happens.";

/** `host` is the platform's, for people who have accounts on several. */
export function confirmSignUpMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `Confirm your account on ${host}`,
    text: lines(
      `Somebody, hopefully you, wants to make an account on ${host} with this address.`,
      `Confirm it within a day:\n${url}`,
      IGNORE,
    ),
  };
}

export function alreadyMemberMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `You have an account on ${host} already`,
    text: lines(
      `Somebody, hopefully you, wanted to make an account on ${host} with this address. ` +
        "It has one already, so none was made.",
      `Sign in, or choose a new password if you forgot yours:\n${url}`,
      IGNORE,
    ),
  };
}

export function confirmEmailMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `Confirm your address on ${host}`,
    text: lines(
      `Somebody, hopefully you, wants to sign in to their account on ${host} with this address.`,
      `Confirm it within an hour, in the browser that you are signed in with:\n${url}`,
      IGNORE,
    ),
  };
}

export function addressTakenMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `You have an account on ${host} already`,
    text: lines(
      `Somebody, hopefully you, wanted to give another account on ${host} this address. ` +
        "It has an account already, so nothing was changed.",
      `Sign in with it:\n${url}`,
      IGNORE,
    ),
  };
}

export function resetPasswordMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `A new password for ${host}`,
    text: lines(
      `Somebody, hopefully you, forgot the password of your account on ${host}.`,
      `Choose a new one within an hour:\n${url}`,
      IGNORE,
    ),
  };
}

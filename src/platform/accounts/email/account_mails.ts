/** The emails about a person's own account. Pure. @module */

/** An email to one person about their own account. */
export interface AccountMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The link in the email. */
  readonly button: { readonly label: string; readonly url: string };
}

/**
 * Queues an email until its link expires. Can reject. Takes the same time if there is no email to
 * send.
 */
export type SendAccountMail = (
  mail: AccountMail | undefined,
  expiresAt: number,
) => Promise<void>;

const lines = (...paragraphs: string[]): string => paragraphs.join("\n\n");

/**
 * Creates the email that confirms a sign-up. `host` identifies the platform for people who have
 * accounts on several platforms.
 */
export function confirmSignUpMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `Confirm your account on ${host}`,
    text: lines(
      `Someone, hopefully you, signed up at ${host} with this address.`,
      "Confirm your account within a day.",
    ),
    button: { label: "Confirm your account", url },
  };
}

export function alreadyMemberMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `You already have an account on ${host}`,
    text: lines(
      `Someone, hopefully you, tried to sign up at ${host} with this address. You already have an account, so no new one was created.`,
      "Sign in, or choose a new password if you forgot yours.",
    ),
    button: { label: "Sign in", url },
  };
}

export function confirmEmailMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `Confirm your address on ${host}`,
    text: lines(
      `Someone, hopefully you, wants to use this address to sign in at ${host}.`,
      "Confirm it within an hour, in the browser where you are signed in.",
    ),
    button: { label: "Confirm your address", url },
  };
}

export function addressTakenMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `You already have an account on ${host}`,
    text: lines(
      `Someone, hopefully you, tried to add this address to another account on ${host}. It already belongs to your account, so nothing was changed.`,
      "Sign in with this address.",
    ),
    button: { label: "Sign in", url },
  };
}

export function resetPasswordMail(to: string, facts: { host: string; url: string }): AccountMail {
  const { host, url } = facts;
  return {
    to,
    subject: `Reset your password for ${host}`,
    text: lines(
      `Someone, hopefully you, asked to reset your password on ${host}.`,
      "Choose a new password within an hour.",
    ),
    button: { label: "Choose a new password", url },
  };
}

/**
 * Accounts: sign-up, sign-in, sessions (in a cookie that scripts cannot read) and passwords.
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { displayName } from "./identity.ts";

const tag = "Accounts";

export const PASSWORD_MIN = 10;
export const PASSWORD_MAX = 256;

/** An address such as `user@host`. The mail server validates it further. */
export const email = z.string().trim().max(254, "Must be at most 254 characters").regex(
  /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/,
  "Must be an email address",
);
const newPassword = z.string()
  .min(PASSWORD_MIN, `Must have at least ${PASSWORD_MIN} characters`)
  .max(PASSWORD_MAX, `Must be at most ${PASSWORD_MAX} characters`);
const givenPassword = z.string().min(1, "Must not be empty").max(PASSWORD_MAX);
/**
 * Proof that the caller owns the account. Without a password, the session must be at most ten
 * minutes old.
 */
export const provenPassword = givenPassword.optional();
/** Six digits from an authenticator app, or a recovery code. */
export const factorCode = z.string().trim().min(6).max(32);
const token = z.string().min(1).max(200);

/** How an account was created. This determines its default notifications. */
export const SIGN_UP_METHODS = ["email", "messenger"] as const;

export const account = z.object({
  id: uuid.describe("ID of the account"),
  name: z.string().meta({ description: "Name of the person", example: "Ada Lovelace" }),
  email: z.string().nullable().meta({
    description: "Email address; null if there is none",
    example: "ada@example.com",
  }),
  signUpMethod: z.enum(SIGN_UP_METHODS).describe("How the account was created"),
  hasPassword: z.boolean().describe("False for an account that signs in only with the messenger"),
  twoFactorEnabled: z.boolean().describe("Whether sign-in requires a second factor"),
  createdAt: timestamp.describe("When the account was created"),
}).meta({ id: "Account" });
export type Account = z.infer<typeof account>;

const signedIn = z.object({
  status: z.literal("signed_in").meta({
    description: "Result of the request",
    example: "signed_in",
  }),
  account: account.describe("The account"),
});
/** An email was sent to the address. Only the owner of the address learns its content. */
const confirmationWanted = z.object({
  status: z.literal("confirmation_required").meta({
    description: "Result of the request",
    example: "confirmation_required",
  }),
});
/** `challenge` is valid for 5 minutes and proves that the password was correct. */
const factorWanted = z.object({
  status: z.literal("two_factor_required").meta({
    description: "Result of the request",
    example: "two_factor_required",
  }),
  challenge: z.string().meta({
    description: "Send it with the code, within 5 minutes",
    example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
  }),
});

export const signUp = endpoint({
  method: "POST",
  path: "/v1/sign-up",
  summary:
    "Create an account and sign in. The session is set as a cookie. If the platform sends mail, the response is 202 and the link in the email creates the account",
  traits: ["sets-cookie"],
  tag,
  auth: "none",
  body: z.object({
    email: email.meta({ description: "Email address", example: "ada@example.com" }),
    password: newPassword.meta({
      description: "Password",
      example: "correct horse battery staple",
    }),
    name: displayName.meta({ description: "Name of the person", example: "Ada Lovelace" }),
    next: z.string().max(1000).optional().meta({
      description: "Path to open after sign-up",
      example: "/device?code=WDJB-MJHT",
    }),
  }).strict(),
  response: z.discriminatedUnion("status", [signedIn, confirmationWanted]),
  status: 201,
  otherAnswers: { 202: confirmationWanted },
});

export const confirmSignUp = endpoint({
  method: "POST",
  path: "/v1/sign-up/confirm",
  summary: "Confirm an account with the token from the email, and sign in",
  traits: ["sets-cookie"],
  refusals: [404],
  tag,
  auth: "none",
  body: z.object({
    token: token.meta({
      description: "Token from the link",
      example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
    }),
  }).strict(),
  response: signedIn,
  status: 201,
});

export const requestPasswordReset = endpoint({
  method: "POST",
  path: "/v1/password-reset",
  summary: "Email a password reset link, if the address has an account",
  tag,
  auth: "none",
  body: z.object({
    email: email.meta({ description: "Email address", example: "ada@example.com" }),
  }).strict(),
  status: 204,
});

export const completePasswordReset = endpoint({
  method: "POST",
  path: "/v1/password-reset/complete",
  summary: "Set a new password with the token from the email. Ends all sessions",
  refusals: [404],
  tag,
  auth: "none",
  body: z.object({
    token: token.meta({
      description: "Token from the link",
      example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
    }),
    password: newPassword.meta({
      description: "New password",
      example: "correct horse battery staple",
    }),
  }).strict(),
  status: 204,
});

export const signIn = endpoint({
  method: "POST",
  path: "/v1/sign-in",
  summary: "Sign in with email and password. The session is set as a cookie",
  traits: ["sets-cookie"],
  refusals: [401],
  tag,
  auth: "none",
  body: z.object({
    email: email.meta({ description: "Email address", example: "ada@example.com" }),
    password: givenPassword.meta({
      description: "Password of the account",
      example: "correct horse battery staple",
    }),
  }).strict(),
  response: z.discriminatedUnion("status", [signedIn, factorWanted]),
});

export const signInSecondFactor = endpoint({
  method: "POST",
  path: "/v1/sign-in/two-factor",
  summary: "Complete a sign-in with a code from the authenticator app or a recovery code",
  traits: ["sets-cookie"],
  refusals: [401],
  tag,
  auth: "none",
  body: z.object({
    challenge: token.meta({
      description: "`challenge` from the sign-in",
      example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
    }),
    code: factorCode.meta({
      description: "Code from the authenticator app, or a recovery code",
      example: "123456",
    }),
  }).strict(),
  response: signedIn,
});

export const claimOwner = endpoint({
  method: "POST",
  path: "/v1/owner-link",
  summary:
    "Claim a new platform with its one-time link: set the owner's email and password, and sign in",
  traits: ["sets-cookie"],
  refusals: [404],
  tag,
  auth: "none",
  body: z.object({
    token: token.meta({
      description: "Token from the welcome link",
      example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
    }),
    email: email.meta({ description: "Email address", example: "ada@example.com" }),
    password: newPassword.meta({
      description: "Password",
      example: "correct horse battery staple",
    }),
    name: displayName.meta({ description: "Name of the person", example: "Ada Lovelace" }),
  }).strict(),
  response: signedIn,
});

export const signOut = endpoint({
  method: "POST",
  path: "/v1/sign-out",
  summary: "End the session or access token that makes this request",
  traits: ["sets-cookie"],
  tag,
  access: "self",
  idempotency: "refused",
  status: 204,
});

export const getAccount = endpoint({
  method: "GET",
  path: "/v1/account",
  summary: "Show the current account",
  refusals: [404],
  tag,
  access: "account",
  response: account,
});

export const changePassword = endpoint({
  method: "POST",
  path: "/v1/account/password",
  summary: "Change the password. Ends all other sessions",
  tag,
  access: "account",
  body: z.object({
    current: givenPassword.meta({
      description: "Current password",
      example: "correct horse battery staple",
    }),
    next: newPassword.meta({
      description: "New password",
      example: "correct horse battery staple",
    }),
  }).strict(),
  status: 204,
});

export const addEmail = endpoint({
  method: "POST",
  path: "/v1/account/email",
  summary:
    "Add an email address and a password to an account without them. Requires a session created in the last ten minutes. If the platform sends mail, a link confirms the address",
  tag,
  access: "account",
  body: z.object({
    email: email.meta({ description: "Email address", example: "ada@example.com" }),
    password: newPassword.meta({
      description: "New password for signing in with the email address",
      example: "correct horse battery staple",
    }),
  }).strict(),
  response: z.discriminatedUnion("status", [
    z.object({
      status: z.literal("added").meta({ description: "Result of the request", example: "added" }),
      account: account.describe("The account"),
    }),
    confirmationWanted,
  ]),
});

export const confirmEmail = endpoint({
  method: "POST",
  path: "/v1/account/email/confirm",
  summary:
    "Confirm the email address with the token from the email, in one of the account's sessions",
  refusals: [404],
  tag,
  access: "account",
  body: z.object({
    token: token.meta({
      description: "Token from the link",
      example: "mJ6c0p8b2xQk4sT7wZr9Lf3Hn5Vd1Ya",
    }),
  }).strict(),
  response: account,
});

export const session = z.object({
  id: uuid.describe("ID of the session"),
  name: z.string().describe("Browser and operating system, if known"),
  address: z.string().meta({
    description: "IP address that last used the session",
    example: "203.0.113.7",
  }),
  country: z.string().nullable().meta({
    description: "Country as ISO 3166-1 alpha-2 code; null if unknown",
    example: "DE",
  }),
  current: z.boolean().describe("True for the session that makes the request"),
  createdAt: timestamp.describe("When the session was created"),
  lastUsedAt: timestamp.describe("When the session was last used"),
  expiresAt: timestamp.describe("Latest possible expiry"),
}).meta({ id: "Session" });
export type Session = z.infer<typeof session>;

export const listSessions = endpoint({
  method: "GET",
  path: "/v1/account/sessions",
  summary: "List the account's sessions",
  tag,
  access: "account",
  query: pageQuery,
  response: page(session),
});

export const revokeSession = endpoint({
  method: "DELETE",
  path: "/v1/account/sessions/{session}",
  summary: "End one of the account's sessions",
  tag,
  access: "account",
  params: z.object({ session: uuid.describe("ID of the session") }),
  status: 204,
});

/** A CLI or other program that was signed in with the device flow. */
export const tool = z.object({
  id: uuid.describe("ID of the grant"),
  name: z.string().meta({
    description: "Name that the client gave itself",
    example: "svc on laptop",
  }),
  prefix: z.string().meta({ description: "First characters of the token", example: "svct_kX2v" }),
  workspace: z.string().describe("Slug of the workspace that the token is for"),
  address: z.string().meta({
    description: "IP address that last used the token",
    example: "203.0.113.7",
  }),
  createdAt: timestamp.describe("When the grant was created"),
  lastUsedAt: timestamp.nullable().describe("When the token was last used; null if never"),
}).meta({ id: "Tool" });
export type Tool = z.infer<typeof tool>;

export const listTools = endpoint({
  method: "GET",
  path: "/v1/account/tools",
  summary: "List the clients that have an access token for the account",
  tag,
  access: "account",
  query: pageQuery,
  response: page(tool),
});

export const revokeTool = endpoint({
  method: "DELETE",
  path: "/v1/account/tools/{tool}",
  summary: "Revoke a client's access token",
  tag,
  access: "account",
  params: z.object({ tool: uuid.describe("ID of the grant") }),
  status: 204,
});

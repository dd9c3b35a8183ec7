/** The second factor of an account: an authenticator app and recovery codes. @module */
import * as z from "zod";
import { factorCode, provenPassword } from "./accounts.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Accounts";

export const startTwoFactor = endpoint({
  method: "POST",
  path: "/v1/account/two-factor",
  summary: "Start setting up an authenticator app. Its secret is shown only once",
  tag,
  access: "account",
  body: z.object({
    password: provenPassword.meta({
      description: "Password of the account",
      example: "correct horse battery staple",
    }),
  }).strict(),
  response: z.object({
    secret: z.string().describe("Base32 (RFC 4648)"),
    uri: z.string().describe("`otpauth://` URL for a QR code"),
  }),
});

const recoveryCodes = z.object({
  recoveryCodes: z.array(z.string()).meta({
    description: "Recovery codes. Each works once, and they are shown only once",
    example: ["K7QM-2XRW"],
  }),
});

export const confirmTwoFactor = endpoint({
  method: "POST",
  path: "/v1/account/two-factor/confirm",
  summary: "Turn on two-factor authentication with a code. The recovery codes are shown only once",
  tag,
  access: "account",
  body: z.object({
    code: factorCode.meta({ description: "Code from the authenticator app", example: "123456" }),
  }).strict(),
  response: recoveryCodes,
});

export const disableTwoFactor = endpoint({
  method: "POST",
  path: "/v1/account/two-factor/disable",
  summary: "Turn off two-factor authentication",
  tag,
  access: "account",
  body: z.object({
    password: provenPassword.meta({
      description: "Password of the account",
      example: "correct horse battery staple",
    }),
    code: factorCode.meta({
      description: "Code from the authenticator app, or a recovery code",
      example: "123456",
    }),
  }).strict(),
  status: 204,
});

export const renewRecoveryCodes = endpoint({
  method: "POST",
  path: "/v1/account/two-factor/recovery-codes",
  summary: "Create new recovery codes. The old ones stop working",
  tag,
  access: "account",
  body: z.object({
    code: factorCode.meta({
      description: "Code from the authenticator app, or a recovery code",
      example: "123456",
    }),
  }).strict(),
  response: recoveryCodes,
});

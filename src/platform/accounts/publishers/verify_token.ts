/** Verifies a job's token: its signature, audience and validity period. @module */
import type { JWTPayload } from "jose";
import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { DocumentError } from "./fetch_document.ts";
import type { IssuerKeys } from "./issuer_keys.ts";

/** Allowed signature algorithms. All of them use a public key. */
const ALGORITHMS = ["RS256", "ES256"];
/** Tolerance for clock differences, in seconds. */
const SKEW_SECONDS = 30;

/** A token was rejected. The message says why. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

const header = z.object({
  alg: z.enum(ALGORITHMS as [string, ...string[]], `its alg must be ${ALGORITHMS.join(" or ")}`),
  kid: z.string("its key ID (kid) is missing").min(1).max(300),
});

const times = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string()).length(1).transform(([only]) => only!)]),
  jti: z.string("its jti claim is missing").min(1).max(300),
  iat: z.number("its iat claim is missing"),
  exp: z.number("its exp claim is missing"),
});

/** A token with a valid signature and validity period. */
export interface VerifiedToken {
  readonly claims: JWTPayload;
  readonly id: string;
  /** When the token expires, in milliseconds, including the clock tolerance. */
  readonly endsAt: number;
}

/** Returns the issuer that a token names, unverified. @throws {TokenRefused} */
export async function namedIssuer(token: string): Promise<string> {
  const { decodeJwt } = await import("jose");
  try {
    const { iss } = decodeJwt(token);
    if (typeof iss === "string" && iss.length <= 300) return iss;
  } catch (cause) {
    throw new TokenRefused("it is not a JSON Web Token", { cause });
  }
  throw new TokenRefused("its iss claim is missing");
}

function readHeader(token: string, decode: (token: string) => unknown): unknown {
  try {
    return decode(token);
  } catch (cause) {
    throw new TokenRefused("it is not a JSON Web Token", { cause });
  }
}

function describeFault(error: { readonly code: string }): string {
  const claim = "claim" in error ? String(error.claim) : undefined;
  if (error.code === "ERR_JWT_EXPIRED") return "it has expired";
  if (claim === "nbf") return "it is not valid yet";
  if (claim !== undefined) return `its ${claim} claim is wrong`;
  if (error.code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED") return "its signature is wrong";
  return "it was not signed by the issuer's key";
}

/** @param wanted.audience the only allowed audience. @throws {TokenRefused} with the reason */
export async function verifyToken(token: string, wanted: {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: IssuerKeys;
  readonly now: Clock;
}): Promise<VerifiedToken> {
  const { issuer, audience, keys, now } = wanted;
  const { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } = await import("jose");
  const named = header.safeParse(readHeader(token, decodeProtectedHeader));
  if (!named.success) throw new TokenRefused(named.error.issues[0]!.message);
  const found = await keys.find(issuer, named.data.kid).catch((error) => {
    if (error instanceof DocumentError) throw new TokenRefused(error.message, { cause: error });
    throw error;
  });
  if (found.length === 0) throw new TokenRefused(`${issuer} has no key "${named.data.kid}"`);
  let claims: JWTPayload;
  try {
    const signed = await jwtVerify(token, createLocalJWKSet({ keys: [...found] }), {
      algorithms: ALGORITHMS,
      issuer,
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now()),
    });
    claims = signed.payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new TokenRefused(describeFault(error));
    throw new TokenRefused(`${issuer} has no usable key "${named.data.kid}"`, { cause: error });
  }
  const checked = times.safeParse(claims);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new TokenRefused(
      issue!.path[0] === "aud" ? `its only audience must be ${audience}` : issue!.message,
    );
  }
  const { aud, iat, exp, jti } = checked.data;
  if (aud !== audience) {
    throw new TokenRefused(`its audience is "${aud}": request one with the audience "${audience}"`);
  }
  if (iat * 1000 > now() + SKEW_SECONDS * 1000) {
    throw new TokenRefused("it was issued in the future");
  }
  return { claims, id: jti, endsAt: (exp + SKEW_SECONDS) * 1000 };
}

/**
 * The cookie that carries a session.
 *
 * @module
 */
import { equalInConstantTime, sha256Hex } from "../../lib/hash.ts";
import { cookieField, cookieName, type CookieStyle, cookieValues } from "./cookies.ts";
import { SESSION_MAX_MS } from "./credential.ts";

export type { CookieStyle };

const NAME = "svc_session";
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** `Set-Cookie` for a new session. */
export function sessionCookie(token: string, style: CookieStyle): string {
  return cookieField(NAME, token, { maxAge: SESSION_MAX_MS / 1000, style });
}

/** `Set-Cookie` that ends a session in the browser. */
export function endedCookie(style: CookieStyle): string {
  return cookieField(NAME, "", { maxAge: 0, style });
}

/**
 * What of a request may be the token of its session. There are several where
 * a host below ours has planted cookies of the same name.
 */
export function readSessionTokens(request: Request, style: CookieStyle): string[] {
  return cookieValues(request.headers.get("cookie"), cookieName(NAME, style))
    .filter((value) => TOKEN.test(value));
}

/** The token of a session's forms: known to our pages, and of no use without the cookie. */
export function csrfTokenOf(sessionHash: string): string {
  return sha256Hex(`svc csrf\n${sessionHash}`);
}

export function isCsrfToken(given: string | null, sessionHash: string): boolean {
  return given !== null && equalInConstantTime(given, csrfTokenOf(sessionHash));
}

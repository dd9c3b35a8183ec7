/** The session cookie. @module */
import { cookieField, cookieName, type CookieStyle, cookieValues } from "./cookies.ts";
import { SESSION_MAX_MS } from "./credential.ts";

export type { CookieStyle };

const NAME = "svc_session";
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function sessionCookie(token: string, style: CookieStyle): string {
  return cookieField(NAME, token, { maxAge: SESSION_MAX_MS / 1000, style });
}

export function endedCookie(style: CookieStyle): string {
  return cookieField(NAME, "", { maxAge: 0, style });
}

/** Returns possible session tokens. There are several if a subdomain has set such cookies. */
export function readSessionTokens(request: Request, style: CookieStyle): string[] {
  return cookieValues(request.headers.get("cookie"), cookieName(NAME, style))
    .filter((value) => TOKEN.test(value));
}

/**
 * The cookie that carries a session. Over https its name begins with
 * `__Host-`: then no other host, and no deployment below ours, can set it.
 *
 * @module
 */
import { equalInConstantTime, sha256Hex } from "../../lib/hash.ts";
import { SESSION_MAX_MS } from "./credential.ts";

export interface CookieStyle {
  /** Whether people reach the platform over https. */
  readonly secure: boolean;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const nameOf = ({ secure }: CookieStyle): string => secure ? "__Host-svc_session" : "svc_session";

function cookie(value: string, maxAge: number, style: CookieStyle): string {
  const secure = style.secure ? "; Secure" : "";
  return `${nameOf(style)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** `Set-Cookie` for a new session. */
export function sessionCookie(token: string, style: CookieStyle): string {
  return cookie(token, SESSION_MAX_MS / 1000, style);
}

/** `Set-Cookie` that ends a session in the browser. */
export function endedCookie(style: CookieStyle): string {
  return cookie("", 0, style);
}

/**
 * The session token of a request. Two cookies of the name are none: one of
 * them was planted by a host below ours, and nobody can tell which.
 */
export function readSessionCookie(request: Request, style: CookieStyle): string | undefined {
  const header = request.headers.get("cookie");
  if (header === null) return undefined;
  const start = `${nameOf(style)}=`;
  const values = header.split(";").map((part) => part.trim())
    .filter((part) => part.startsWith(start));
  const value = values[0]?.slice(start.length);
  return values.length === 1 && value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** The token of a session's forms: known to our pages, and of no use without the cookie. */
export function csrfTokenOf(sessionHash: string): string {
  return sha256Hex(`svc csrf\n${sessionHash}`);
}

export function isCsrfToken(given: string | null, sessionHash: string): boolean {
  return given !== null && equalInConstantTime(given, csrfTokenOf(sessionHash));
}

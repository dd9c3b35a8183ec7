/** @module The cookies of a protected host. */

/** The cookie with the pass that gives a browser access. */
export const PASS = "svc_access";
/** The cookie with a random string that ties a sign-in to the browser that started it. */
export const BROWSER = "svc_access_browser";

/**
 * Maximum number of values to read for one name. Other hosts below the same domain can set cookies
 * too.
 */
const MAX_VALUES = 10;

/**
 * Returns the full name of a cookie. Over HTTPS, the name starts with `__Host-`, which prevents
 * other hosts from setting the cookie.
 */
export const gateCookieName = (name: string, scheme: "http" | "https"): string =>
  scheme === "https" ? `__Host-${name}` : name;

/** Returns a `Set-Cookie` field for this host only. Scripts cannot read the cookie. */
export function gateCookie(
  name: string,
  value: string,
  { scheme, maxAge }: { readonly scheme: "http" | "https"; readonly maxAge: number },
): string {
  const secure = scheme === "https" ? "; Secure" : "";
  return `${gateCookieName(name, scheme)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; ` +
    `SameSite=Lax${secure}`;
}

/** Returns the first values for a name in a `Cookie` field. */
export function gateCookieValues(header: string | null, name: string): string[] {
  const start = `${name}=`;
  const values: string[] = [];
  for (const part of header?.split(";") ?? []) {
    const pair = part.trim();
    if (pair.startsWith(start)) values.push(pair.slice(start.length));
    if (values.length === MAX_VALUES) break;
  }
  return values;
}

/** Returns a `Cookie` field without the gate's cookies, or null if nothing is left. */
export function withoutGateCookies(header: string): string | null {
  const kept = header.split(";").map((part) => part.trim())
    .filter((pair) => pair !== "" && !/^(?:__Host-)?svc_access(?:_browser)?=/.test(pair));
  return kept.length === 0 ? null : kept.join("; ");
}

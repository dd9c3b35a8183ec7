/**
 * Reads cookies. Over plain HTTP, any subdomain of the platform's host can set a cookie with one of
 * our names. Therefore, all values of a name are read, and each value must prove that the platform
 * issued it.
 *
 * @module
 */

/** The properties of the platform's URL that affect cookies. */
export interface CookieStyle {
  /** Whether people reach the platform over HTTPS. */
  readonly secure: boolean;
}

/**
 * Maximum number of values that are read for one name. Browsers store about 180 cookies per site.
 */
const MAX_VALUES = 200;

/**
 * Returns the full name of a cookie. The prefix `__Host-` prevents other hosts, including
 * subdomains, from setting the cookie.
 */
export const cookieName = (name: string, { secure }: CookieStyle): string =>
  secure ? `__Host-${name}` : name;

/** Returns all distinct values of a name in a `Cookie` field, in order. */
export function cookieValues(header: string | null, name: string): string[] {
  if (header === null) return [];
  const start = `${name}=`;
  const values = new Set<string>();
  for (const part of header.split(";")) {
    const pair = part.trim();
    if (pair.startsWith(start)) values.add(pair.slice(start.length));
    if (values.size === MAX_VALUES) break;
  }
  return [...values];
}

/** Returns a `Set-Cookie` field for this host only, hidden from scripts. */
export function cookieField(
  name: string,
  value: string,
  { maxAge, style }: { readonly maxAge: number; readonly style: CookieStyle },
): string {
  const secure = style.secure ? "; Secure" : "";
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  return `${cookieName(name, style)}=${value}; ${attributes}`;
}

/**
 * Reading cookies. Any host below ours can plant one of our names over plain
 * http, so all values of a name are read, and each has to prove that it is ours.
 *
 * @module
 */

/** How people reach the platform, as far as cookies go. */
export interface CookieStyle {
  /** Whether people reach the platform over https. */
  readonly secure: boolean;
}

/**
 * Maximum number of values of one name that are read; browsers keep about 180 cookies of a site.
 */
const MAX_VALUES = 200;

/**
 * The name of a cookie. Over https it begins with `__Host-`: then no other
 * host, and no deployment below ours, can set it.
 */
export const cookieName = (name: string, { secure }: CookieStyle): string =>
  secure ? `__Host-${name}` : name;

/** All values of a name in a `Cookie` field, in the order in which they came, each once. */
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

/** A `Set-Cookie` field for this host alone, out of reach of scripts. */
export function cookieField(
  name: string,
  value: string,
  { maxAge, style }: { readonly maxAge: number; readonly style: CookieStyle },
): string {
  const secure = style.secure ? "; Secure" : "";
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  return `${cookieName(name, style)}=${value}; ${attributes}`;
}

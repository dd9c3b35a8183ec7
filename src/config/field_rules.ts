/**
 * @module Schemas for single values in `svc.toml`. Each rule is pure and takes bounded time. The
 *   error messages are next to the fields in schema.ts.
 */

/**
 * Maximum length of a project name, in characters: `<name>-<shortid>` and `<name>-git-<branch>` are
 * host labels, which are at most 63 characters long (RFC 1035, 2.3.4).
 */
export const PROJECT_NAME_MAX = 40;

/** Maximum length of an environment variable name, in characters. */
export const VARIABLE_NAME_MAX = 128;

/** A lowercase DNS label that neither starts nor ends with a hyphen (RFC 1123, 2.1). */
export const DNS_LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** The name of an environment variable (POSIX.1-2017, 8.1, but lower case is allowed). */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name of a dev alias: a single shell word that is not a flag. */
export const ALIAS_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/;

/** An identifier issued by the platform. */
export const PLATFORM_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Text without control characters, and without leading or trailing spaces. */
// deno-lint-ignore no-control-regex -- excludes control characters on purpose
export const TRIMMED_TEXT = /^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$/;

/** A shell command, which is not blank and contains no NUL, because NUL ends an argument. */
// deno-lint-ignore no-control-regex -- excludes NUL on purpose
export const COMMAND = /^\s*[^\s\x00][^\x00]*$/;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Parses a number of seconds, or a duration such as `90s`, `2m`, `1h` or `7d`. Returns
 * milliseconds.
 */
export function parseTime(value: number | string): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value * 1000 : undefined;
  if (value === "0") return 0;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  return unit === undefined ? undefined : Number(count) * SECONDS[unit]! * 1000;
}

/**
 * Returns true for labels that claim to be encoded Unicode (RFC 5890, 2.3.2.1). Once a suffix is
 * appended, such a label is no longer valid.
 */
export function isEncodedLabel(label: string): boolean {
  return label.startsWith("xn--");
}

/** Returns true for a hostname, an IPv4 address or an IPv6 address, without a scheme or port. */
export function isHost(text: string): boolean {
  const isIpv6 = text.includes(":");
  if (!(isIpv6 ? /^[0-9A-Fa-f:.]+$/ : /^[A-Za-z0-9.-]+$/).test(text)) return false;
  const url = URL.parse(`http://${isIpv6 ? `[${text}]` : text}/`);
  return url !== null && (isIpv6 || url.hostname === text.toLowerCase());
}

/**
 * Returns true for a relative path that stays inside its base folder on every system. Such a path
 * has no drive and no backslash, and never goes above the folder.
 */
export function isInsidePath(path: string): boolean {
  // deno-lint-ignore no-control-regex -- excludes control characters on purpose
  if (path === "" || /[\\\x00-\x1f\x7f]/.test(path)) return false;
  if (path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:/.test(path)) return false;
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return false;
  }
  return true;
}

/**
 * Normalizes a path that passes {@link isInsidePath}. Removes `.`, `..`, and doubled or trailing
 * slashes.
 */
export function normalizeInsidePath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.length === 0 ? "." : kept.join("/");
}

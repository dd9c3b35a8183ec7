/** Names that can be bound to a project, in canonical form and with their zone. @module */
import { isIP } from "node:net";

/** Maximum length of a hostname in characters (RFC 1035, 2.3.4), without the trailing dot. */
const MAX_HOSTNAME = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const WILDCARD = "*.";

interface DomainName {
  /**
   * The name in lowercase ASCII, with international labels in Punycode (UTS #46). It may start
   * with `*.`.
   */
  readonly hostname: string;
  /** The registrable domain (Public Suffix List, including private suffixes). */
  readonly zone: string;
}

type DomainNameResult =
  | { readonly ok: true; readonly name: DomainName }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): DomainNameResult => ({ ok: false, reason });

export function isWildcard(hostname: string): boolean {
  return hostname.startsWith(WILDCARD);
}

/** Returns the name after the `*.` of a wildcard. */
function parentOfWildcard(hostname: string): string {
  return hostname.slice(WILDCARD.length);
}

/** Returns whether a name is `domain` or a name under it. */
function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

function refusedText(text: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "Use only the hostname, without a scheme";
  if (/[/\\?#]/.test(text)) return "Use only the hostname, without a path";
  if (text.includes("@")) return "Use only the hostname, without userinfo";
  if (text.startsWith("[") || isIP(text) !== 0) return "Use a hostname, not an IP address";
  if (text.includes(":")) return "Use only the hostname, without a port";
  // deno-lint-ignore no-control-regex -- matches control characters on purpose
  if (/[\x00-\x20\x7f%<>^|"]/.test(text)) return "Use letters, digits, hyphens and dots only";
  return undefined;
}

/**
 * Returns the registrable domain of a hostname, or `null` if the hostname is a public suffix. The
 * list of suffixes is only loaded for names with a dot, because most platforms start as
 * `localhost`.
 */
async function zoneOf(hostname: string): Promise<string | null> {
  if (!hostname.includes(".")) return null;
  const { getDomain } = await import("tldts");
  return getDomain(hostname, { allowPrivateDomains: true });
}

/**
 * Reads a domain in any spelling. Rejects the names in `options.reserved`, and all names under
 * them.
 */
export async function parseDomainName(
  text: string,
  options: { readonly reserved: readonly string[] },
): Promise<DomainNameResult> {
  const refused = refusedText(text);
  if (refused !== undefined) return refuse(refused);
  const wildcard = isWildcard(text);
  const plain = wildcard ? parentOfWildcard(text) : text;
  if (plain.includes("*")) {
    return refuse('A wildcard must be the first label, as in "*.example.com"');
  }
  const ascii = URL.parse(`http://${plain}/`)?.hostname.replace(/\.$/, "");
  if (ascii === undefined || ascii === "") return refuse("Use a valid hostname");
  if (isIP(ascii) !== 0) return refuse("Use a hostname, not an IP address");
  const hostname = wildcard ? `${WILDCARD}${ascii}` : ascii;
  if (hostname.length > MAX_HOSTNAME) {
    return refuse(`Use at most ${MAX_HOSTNAME} characters in punycode`);
  }
  if (!ascii.split(".").every((label) => LABEL.test(label))) {
    return refuse(
      "Use labels of 1 to 63 letters, digits and hyphens in punycode, with no hyphen at either end",
    );
  }
  for (const name of options.reserved) {
    if (isWithin(ascii, name)) {
      return refuse(`Use your own domain: ${name} belongs to the platform`);
    }
  }
  const zone = await zoneOf(ascii);
  if (zone === null) {
    return refuse(`Use a registered domain: ${ascii} is a public suffix`);
  }
  return { ok: true, name: { hostname, zone } };
}

/**
 * Returns the `www` name for an apex, or the apex for a `www` name; `undefined` for all other
 * names.
 */
export function companionOf({ hostname, zone }: DomainName): string | undefined {
  if (hostname === zone) {
    const www = `www.${zone}`;
    return www.length <= MAX_HOSTNAME ? www : undefined;
  }
  return hostname === `www.${zone}` ? zone : undefined;
}

/**
 * @module Request fields that would let a client pose as an edge, a proxy or part of a framework.
 * Such fields can contain a false client address, host, country or request ID, or claim that
 * middleware has run. Servers and frameworks trust these fields, so the edge removes them from
 * client requests and writes its own.
 */

import { memoize } from "../../lib/memo.ts";

/** Number of field names for which the result is memoized. */
const REMEMBERED = 1024;

/**
 * Fields in which a trusted proxy sends the client's country. The first field that is present is
 * used.
 */
export const COUNTRY_HEADERS = ["x-geo-country", "cf-ipcountry"] as const;
export const ASN_HEADER = "x-geo-asn";

/** Fields that are used and forwarded only if a trusted proxy sent them. */
const FROM_PROXIES: ReadonlySet<string> = new Set([...COUNTRY_HEADERS, ASN_HEADER]);

/**
 * Names that other edges, proxies and servers use for the client's address, and `Proxy`, which CGI
 * programs act on.
 */
const SPOOFABLE: ReadonlySet<string> = new Set([
  "cf-connecting-ip",
  "cf-connecting-ipv6",
  "cf-pseudo-ipv4",
  "client-ip",
  "do-connecting-ip",
  "fastly-client-ip",
  "fly-client-ip",
  "forwarded",
  "forwarded-for",
  "proxy",
  "true-client-ip",
  "x-appengine-user-ip",
  "x-azure-clientip",
  "x-azure-socketip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-envoy-external-address",
  "x-forwarded",
  "x-nf-client-connection-ip",
  "x-original-forwarded-for",
  "x-originating-ip",
  "x-real-ip",
  "x-remote-addr",
  "x-remote-ip",
  "x-true-client-ip",
  "x-vercel-forwarded-for",
  "x-vercel-proxied-for",
]);

/**
 * Headers that browsers never send. Framework servers send these headers to themselves and trust
 * them.
 */
const FRAMEWORK_INTERNAL: ReadonlySet<string> = new Set([
  // Next.js: resumes a render that its host started.
  "next-resume",
  "x-matched-path",
  "x-next-resume-state-length",
  "x-next-revalidate-tag-token",
  "x-next-revalidated-tags",
  // Nuxt and Nitro: selects a page other than the one for visitors.
  "x-nitro-prerender",
  "x-nuxt-error",
  "x-nuxt-no-ssr",
  // React Router and Remix: fields for prerendering and SPA mode (CVE-2025-43864, CVE-2025-43865).
  "x-react-router-prerender",
  "x-react-router-prerender-data",
  "x-react-router-spa-mode",
]);

/** A name with a spoofable prefix that is still forwarded. The browser code of Next.js sends it. */
const FROM_BROWSERS = "x-middleware-prefetch";

const SPOOFABLE_PREFIXES = [
  "x-forwarded-",
  "x-svc-",
  // Astro: path and locals from its middleware.
  "x-astro-",
  // Next.js: states that middleware has run (CVE-2025-29927), and which page it chose.
  "x-invoke-",
  "x-middleware-",
  "x-now-",
] as const;

function judgeName(name: string): boolean {
  const hyphened = name.replaceAll("_", "-");
  if (SPOOFABLE.has(hyphened) || FRAMEWORK_INTERNAL.has(hyphened)) return true;
  return hyphened.startsWith("x-") && hyphened !== FROM_BROWSERS &&
    SPOOFABLE_PREFIXES.some((prefix) => hyphened.startsWith(prefix));
}

/**
 * Whether only this edge, a proxy or a framework may write a field, given its name in lower case.
 * An underscore counts as a hyphen, as in CGI and WSGI.
 */
export const isSpoofable: (name: string) => boolean = memoize(judgeName, REMEMBERED);

const isFromProxies = (name: string): boolean =>
  FROM_PROXIES.has(name.includes("_") ? name.replaceAll("_", "-") : name);

/** Whether to forward a request field. `isProxied` means that a trusted proxy sent the request. */
export function mayForward(name: string, isProxied: boolean): boolean {
  return !isSpoofable(name) && (isProxied || !isFromProxies(name));
}

/**
 * Request fields with which a client could pose as an edge or a proxy: they state
 * the client's address, host or country, or the id of a request, and servers and
 * frameworks believe them. The edge removes them from what a client sends and
 * writes its own.
 *
 * @module
 */

/** Fields in which a trusted proxy names the client's country; the first one present counts. */
export const COUNTRY_HEADERS = ["x-geo-country", "cf-ipcountry"] as const;
export const ASN_HEADER = "x-geo-asn";

/** Fields that count, and are forwarded, where a trusted proxy sent them. */
const FROM_PROXIES: ReadonlySet<string> = new Set([...COUNTRY_HEADERS, ASN_HEADER]);

/**
 * Names that other edges, proxies and servers use for the client's address; and
 * `Proxy`, which CGI programs obey.
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

/** Whether a field, its name in lower case, is one that only this edge or a proxy may write. */
export function isSpoofable(name: string): boolean {
  return SPOOFABLE.has(name) || name.startsWith("x-forwarded-") || name.startsWith("x-svc-");
}

/** Whether a request field is forwarded; `isProxied` where a trusted proxy sent the request. */
export function mayForward(name: string, isProxied: boolean): boolean {
  return !isSpoofable(name) && (isProxied || !FROM_PROXIES.has(name));
}

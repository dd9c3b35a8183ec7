/**
 * Request fields by which a client could speak for an edge or a proxy: whose
 * address it has, from which host and country it comes, what this edge calls a
 * request. Servers and frameworks believe them. The edge takes them off what a
 * client sends and writes its own.
 *
 * @module
 */

/** Fields in which a trusted proxy tells the country, the first that is there; and the network. */
export const COUNTRY_HEADERS = ["x-geo-country", "cf-ipcountry"] as const;
export const ASN_HEADER = "x-geo-asn";

/** Fields that mean something here when a trusted proxy writes them, and go on then. */
const FROM_PROXIES: ReadonlySet<string> = new Set([...COUNTRY_HEADERS, ASN_HEADER]);

/** What other edges, proxies and servers call the client's address; and `Proxy`, which CGI programs obey. */
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

/** Whether a field, its name in lower case, speaks for this edge or for a proxy. */
export function isSpoofable(name: string): boolean {
  return SPOOFABLE.has(name) || name.startsWith("x-forwarded-") || name.startsWith("x-svc-");
}

/** Whether a field of a request goes on; `isProxied` where a trusted proxy sent it. */
export function mayForward(name: string, isProxied: boolean): boolean {
  return !isSpoofable(name) && (isProxied || !FROM_PROXIES.has(name));
}

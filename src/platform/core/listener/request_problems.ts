/**
 * Finds requests whose headers leave the host (RFC 9112, 3.2) or the end of the body (RFC 9112,
 * 6.1) unclear.
 *
 * @module
 */
import { fieldOf, hasField } from "../../../lib/raw_fields.ts";

const COMMA = ",";
const DEFAULT_PORT = { http: 80, https: 443 } as const;

/**
 * Returns the host that the runtime puts in a request's URL if the request does not specify one.
 */
export function placeholderHost(
  local: Pick<Deno.NetAddr, "hostname" | "port">,
  scheme: "http" | "https",
): string {
  const { hostname, port } = local;
  const isOwn = /^(?:127\.|0\.0\.0\.0$|::1?$)/.test(hostname);
  const name = isOwn ? "localhost" : hostname.includes(":") ? `[${hostname}]` : hostname;
  return port === DEFAULT_PORT[scheme] ? name : `${name}:${port}`;
}

interface HostFacts {
  /** The URL that the runtime composed from the request line and `Host`. */
  readonly url: string;
  /** The host in the URL if the request does not specify one. */
  readonly placeholder: string;
  /** Whether HTTP/2 was negotiated. HTTP/2 requests specify their host in `:authority`. */
  readonly isHttp2: boolean;
  readonly host: string | null;
}

export function hostProblem({ url, placeholder, isHttp2, host }: HostFacts): string | undefined {
  // The URL contains only the first host.
  if (host?.includes(COMMA)) return "The request has several hosts: send one";
  if (isHttp2) return undefined;
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  const end = slash === -1 ? url.length : slash;
  if (end === start) return "The Host header is empty";
  if (end - start !== placeholder.length || !url.startsWith(placeholder, start)) return undefined;
  if (host === null) return "The request has no Host header";
  return host === "" ? "The Host header is empty" : undefined;
}

/** Returns why it is unclear where a request ends. Proxies could disagree about the end. */
export function framingProblem(headers: Headers): string | undefined {
  const coding = fieldOf(headers, "transfer-encoding");
  if (coding === null) return undefined;
  if (hasField(headers, "content-length")) {
    return "Send either Content-Length or Transfer-Encoding, not both";
  }
  return coding.toLowerCase() === "chunked"
    ? undefined
    : "Send the body with only Transfer-Encoding: chunked, or with Content-Length";
}

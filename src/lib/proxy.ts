/** @module The proxies in environment variables, as the runtime's own `fetch` reads them. Pure. */

type Variables = Readonly<Record<string, string | undefined>>;

interface NamedProxy {
  /** Environment variable that sets the proxy. */
  readonly variable: string;
  /** The proxy's address, without user name and password. */
  readonly address: string;
}

/** `NO_PROXY` entries that keep requests to this machine from going through a proxy. */
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

const noProxyOf = (env: Variables): string => env.NO_PROXY || env.no_proxy || "";

/**
 * Returns the value of `NO_PROXY` with the names of this machine added, or `undefined` if no proxy
 * is set.
 */
export function noProxyForLoopback(env: Variables): string | undefined {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  if (!names.some((name) => env[name] || env[name.toLowerCase()])) return undefined;
  return [...noProxyOf(env).split(",").filter((part) => part.trim() !== ""), ...LOOPBACK].join(",");
}

function isSpared(hostname: string, env: Variables): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return [...noProxyOf(env).split(","), ...LOOPBACK].some((part) => {
    const entry = part.trim().replace(/^\*?\./, "").toLowerCase();
    return entry === "*" || entry !== "" && (host === entry || host.endsWith(`.${entry}`));
  });
}

/** Returns the proxy for requests to `address`, or `undefined` if there is none. */
export function proxyFor(address: string, env: Variables): NamedProxy | undefined {
  const url = URL.parse(address);
  if (url === null || isSpared(url.hostname, env)) return undefined;
  const own = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [own.toLowerCase(), own, "all_proxy", "ALL_PROXY"].find((name) => env[name]);
  if (variable === undefined) return undefined;
  const proxy = URL.parse(env[variable]!);
  return { variable, address: proxy === null ? "(its address is invalid)" : proxy.origin };
}

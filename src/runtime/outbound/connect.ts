/**
 * @module Opens a connection to a checked address. The name is resolved once, every address is
 * checked, and the connection goes to exactly one of these addresses, so a second lookup cannot
 * lead elsewhere.
 */
import { OutboundError } from "../http1/errors.ts";
import type { AbandonedConnects } from "./abandoned_connects.ts";
import {
  isLocalName,
  isPublicAddress,
  isServer,
  isWebPort,
  literalAddress,
} from "./address_rules.ts";

/**
 * Looks up the addresses of a name, as text. Rejects or returns an empty list if the name has none.
 */
export type ResolveDns = (name: string) => Promise<readonly string[]>;

/** Connects to an address that has been checked. */
export type Dial = (
  to: { readonly hostname: string; readonly port: number },
) => Promise<Deno.TcpConn>;

/**
 * Finds the target of a connection to one of the platform's own hosts. The target needs no lookup
 * and may be local. Returns `undefined` for any other host.
 */
export type OwnRoute = (
  to: { readonly host: string; readonly port: number },
) => { readonly hostname: string; readonly port: number } | undefined;

export interface ConnectRules {
  /** True to allow private, local and reserved addresses, and any port. */
  readonly allowPrivate: boolean;
  readonly resolveDns: ResolveDns;
  readonly dial: Dial;
  readonly ownRoute?: OwnRoute | undefined;
  /** Maximum total time for lookup, connection and TLS, in milliseconds. */
  readonly connectMs: number;
  /** Certificates (PEM) to trust in addition to the system's. */
  readonly caCerts?: readonly string[];
  /** Connection attempts that no one is waiting for. */
  readonly abandoned: AbandonedConnects;
}

/** Maximum number of addresses to try for a name. */
const MAX_ADDRESSES = 4;

/** A URL's target before any lookup. */
export interface Target {
  readonly url: URL;
  readonly secure: boolean;
  /** A name or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

const refused = (host: string): OutboundError =>
  new OutboundError(
    "refused_address",
    `Requests to "${host}" are not allowed: it is not public`,
  );

/**
 * Checks scheme, credentials, port and host. The URL parser has already normalized addresses in
 * other notations.
 *
 * @throws OutboundError
 */
export function judgeTarget(
  text: string,
  rules: Pick<ConnectRules, "allowPrivate" | "ownRoute">,
): Target {
  const url = URL.parse(text);
  if (url === null) throw new OutboundError("bad_request", "The URL is malformed or not absolute");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new OutboundError("bad_request", `The URL must be http or https, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError("bad_request", "The URL must not contain credentials");
  }
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const address = literalAddress(url.hostname);
  const host = address ?? url.hostname;
  if (!rules.allowPrivate && rules.ownRoute?.({ host, port }) === undefined) {
    if (!isWebPort(port)) throw new OutboundError("refused_port", `Port ${port} is not allowed`);
    if (address === undefined ? isLocalName(host) : !isPublicAddress(address)) throw refused(host);
  }
  return { url, secure, host, port };
}

async function addressesOf(target: Target, rules: ConnectRules): Promise<readonly string[]> {
  const own = rules.ownRoute?.(target);
  if (own !== undefined) return [own.hostname];
  if (literalAddress(target.host) !== undefined) return [target.host];
  let addresses: readonly string[];
  try {
    addresses = await rules.resolveDns(target.host);
  } catch (cause) {
    throw new OutboundError("dns_failed", `Cannot resolve "${target.host}"`, { cause });
  }
  if (addresses.length === 0) {
    throw new OutboundError("dns_failed", `The name "${target.host}" has no address`);
  }
  if (!rules.allowPrivate && !addresses.every(isPublicAddress)) throw refused(target.host);
  return addresses.slice(0, MAX_ADDRESSES);
}

async function connectTo(target: Target, address: string, rules: ConnectRules): Promise<Deno.Conn> {
  if (isServer(address)) throw refused(target.host);
  let conn: Deno.TcpConn;
  try {
    conn = await rules.dial(rules.ownRoute?.(target) ?? { hostname: address, port: target.port });
  } catch (cause) {
    const message = `Cannot connect to "${target.host}"`;
    throw new OutboundError("connect_failed", message, { cause });
  }
  conn.setNoDelay(true);
  if (!target.secure) return conn;
  try {
    const tls = await Deno.startTls(conn, {
      hostname: target.host,
      alpnProtocols: ["http/1.1"],
      ...(rules.caCerts === undefined ? {} : { caCerts: [...rules.caCerts] }),
    });
    await tls.handshake();
    return tls;
  } catch (cause) {
    try {
      conn.close();
    } catch { /* startTls has taken it over */ }
    throw new OutboundError("tls_failed", `TLS with "${target.host}" failed`, { cause });
  }
}

/** The state of a connection attempt. */
interface Attempt {
  address: string | undefined;
  /** Aborted once no caller is waiting. */
  readonly givenUp: AbortController;
}

async function connectAny(
  target: Target,
  rules: ConnectRules,
  attempt: Attempt,
): Promise<Deno.Conn> {
  const addresses = await addressesOf(target, rules);
  let last: unknown;
  for (const address of await rules.abandoned.allowed(addresses, attempt.givenUp.signal)) {
    if (attempt.givenUp.signal.aborted) break;
    attempt.address = address;
    try {
      const conn = await connectTo(target, address, rules);
      rules.abandoned.answered(address);
      return conn;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/**
 * Opens a connection.
 *
 * @throws OutboundError
 */
export async function openConnection(
  target: Target,
  rules: ConnectRules,
  signal?: AbortSignal,
): Promise<Deno.Conn> {
  const attempt: Attempt = { address: undefined, givenUp: new AbortController() };
  const opening = connectAny(target, rules, attempt);
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  const abort = (): void => stop(new OutboundError("aborted", "The request was aborted"));
  const timer = setTimeout(
    () =>
      stop(new OutboundError("connect_timeout", `Connecting to "${target.host}" took too long`)),
    rules.connectMs,
  );
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([opening, stopped]);
  } catch (error) {
    attempt.givenUp.abort();
    const settled = attempt.address === undefined ? () => {} : rules.abandoned.add(attempt.address);
    opening.then((conn) => conn.close(), () => {}).finally(settled);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * One request on its way through the edge: its facts, cut out of it once.
 *
 * @module
 */
import type { Device, FactSources } from "../../rules/mod.ts";
import { memoize } from "../../lib/memo.ts";
import type { AsnLookup, GeoLookup } from "../geo/mod.ts";
import { ASN_HEADER, COUNTRY_HEADERS, isReading, mayForward } from "../messages/mod.ts";
import { deviceOf } from "./device.ts";
import { canonicalHost, splitUrl, type UrlParts } from "./host.ts";
import { contentOf } from "./request_content.ts";
import type { TrustedProxies } from "./trusted_proxies.ts";

/** The other end of the socket. */
export interface Connection {
  /** IP address as text. */
  readonly remoteAddress: string;
  /** Whether the connection is encrypted; a request line may claim anything. */
  readonly scheme: "http" | "https";
  /** Counts the connection as open until `ended` settles: it was upgraded to a WebSocket. */
  hold?(ended: Promise<unknown>): void;
}

/** What the edge asks about addresses, and whom it believes. */
export interface ClientLookups {
  readonly proxies?: TrustedProxies | undefined;
  readonly geo?: GeoLookup | undefined;
  readonly asn?: AsnLookup | undefined;
}

const rememberedHost = memoize(canonicalHost, 1024);

/**
 * The host of a request: the URL's, which is `Host` or, for a request in
 * absolute form, the target's own (RFC 9112, 3.2.2). A `Host` that would end
 * early in a URL (`site/path?`) moved the path, so it is refused.
 */
function hostOf(authority: string, hostHeader: string | null): string | undefined {
  const host = rememberedHost(authority);
  if (hostHeader === authority || hostHeader === null || hostHeader === "") return host;
  return rememberedHost(hostHeader) === undefined ? undefined : host;
}

export class ClientRequest implements FactSources {
  readonly method: string;
  /** In canonical form; "" where the request names no valid host. */
  readonly host: string;
  /** Path as the client wrote it. */
  readonly rawPath: string;
  /** Query as the client wrote it, without its `?`. */
  readonly rawQuery: string;
  /** Address of the client. */
  readonly ip: string;
  /** Normalized, once it was. */
  path: string;
  readonly #request: Request;
  readonly #connection: Connection;
  readonly #target: UrlParts;
  readonly #headers: Headers;
  readonly #lookups: ClientLookups;
  /** Whether the socket's other end may speak for the client. */
  readonly #isProxied: boolean;

  constructor(
    request: Request,
    readonly id: string,
    options: { readonly connection: Connection; readonly lookups: ClientLookups },
  ) {
    const { connection, lookups } = options;
    const { remoteAddress } = connection;
    const target = splitUrl(request.url);
    const { authority, path, query } = target;
    this.#target = target;
    this.#connection = connection;
    this.method = request.method;
    this.rawPath = path;
    this.rawQuery = query;
    this.path = path;
    this.#request = request;
    this.#headers = request.headers;
    this.#lookups = lookups;
    this.#isProxied = lookups.proxies?.trusts(remoteAddress) ?? false;
    let host = hostOf(authority, this.#headers.get("host"));
    let ip = remoteAddress;
    if (this.#isProxied) {
      const forwardedHost = this.#headers.get("x-forwarded-host");
      if (forwardedHost !== null) host = canonicalHost(forwardedHost.split(",")[0]!.trim());
      ip = lookups.proxies!.clientAddress(remoteAddress, this);
    }
    this.host = host ?? "";
    this.ip = ip;
  }

  /** The whole address, which says all of host, path and query; "" where a proxy says some of it. */
  get unproxiedUrl(): string {
    return this.#isProxied ? "" : this.#request.url;
  }

  /** Reads a request field; several lines of one name come joined by a comma. */
  header(name: string): string | null {
    return this.#headers.get(name);
  }

  /** The request fields that go on, names in lower case: none by which a client speaks for others. */
  *fields(): Generator<[string, string]> {
    for (const field of this.#headers) {
      if (mayForward(field[0], this.#isProxied)) yield field;
    }
  }

  /** What the client sends; `null` where it sends nothing, and for GET and HEAD. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return isReading(this.method) ? null : this.#request.body;
  }

  /** What the client sends with GET or HEAD; read once. */
  get content(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return isReading(this.method) ? contentOf(this.#request) : null;
  }

  /** Aborted when the client has gone. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /**
   * Takes over the connection as a WebSocket.
   *
   * @throws {TypeError} Where the client has not asked for one
   */
  upgrade(): { readonly socket: WebSocket; readonly response: Response } {
    const upgraded = Deno.upgradeWebSocket(this.#request);
    const { socket } = upgraded;
    this.#connection.hold?.(
      new Promise((resolve) => {
        socket.addEventListener("close", resolve);
        // What fails before the socket is open is told by no close.
        socket.addEventListener("error", resolve);
      }),
    );
    return upgraded;
  }

  /** Host and port as the client named them. */
  get authority(): string {
    const forwarded = this.#isProxied ? this.header("x-forwarded-host") : null;
    if (forwarded !== null) return forwarded.split(",")[0]!.trim();
    return this.#target.authority;
  }

  /** By the trusted proxy's word, else by the connection. */
  get scheme(): "http" | "https" {
    const forwarded = this.#isProxied ? this.header("x-forwarded-proto")?.trim() : undefined;
    if (forwarded === "http" || forwarded === "https") return forwarded;
    return this.#connection.scheme;
  }

  /** Path and query as the client wrote them. */
  get target(): string {
    return this.rawQuery === "" ? this.rawPath : `${this.rawPath}?${this.rawQuery}`;
  }

  /** By the trusted proxy's word, else by the client's address. */
  country(): string | undefined {
    if (this.#isProxied) {
      for (const name of COUNTRY_HEADERS) {
        const told = this.header(name)?.trim();
        if (told !== undefined && /^[A-Za-z]{2}$/.test(told)) return told.toUpperCase();
      }
    }
    return this.#lookups.geo?.country(this.ip);
  }

  /** By the trusted proxy's word, else by the client's address. */
  asn(): number | undefined {
    const told = this.#isProxied
      ? /^(?:AS)?(\d{1,10})$/i.exec(this.header(ASN_HEADER)?.trim() ?? "")
      : null;
    return told === null ? this.#lookups.asn?.asn(this.ip) : Number(told[1]);
  }

  device(): Device {
    return deviceOf(this.header("user-agent"));
  }
}

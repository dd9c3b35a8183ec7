/** @module The client's request, which is read once. */
import type { Device, FactSources } from "../../rules/mod.ts";
import { connectionOptions, HOP_BY_HOP } from "../../lib/hop_by_hop.ts";
import { memoize } from "../../lib/memo.ts";
import { allFieldsOf, fieldOf, type RawField, valueIn } from "../../lib/raw_fields.ts";
import { DEPTH_HEADER } from "../../runtime/mod.ts";
import type { AsnLookup, GeoLookup } from "../geo/lookup.ts";
import { ASN_HEADER, COUNTRY_HEADERS, mayForward } from "../messages/spoofable_headers.ts";
import { isReading } from "../messages/messages.ts";
import { deviceOf } from "./device.ts";
import { canonicalAuthority, canonicalHost, splitUrl, type UrlParts } from "./host.ts";
import { contentOf } from "./request_content.ts";
import type { TrustedProxies } from "./trusted_proxies.ts";

/** The part of a client's WebSocket that the edge uses. */
export type ClientSocket =
  & Pick<
    WebSocket,
    "binaryType" | "bufferedAmount" | "readyState" | "onopen" | "onmessage" | "onclose" | "onerror"
  >
  & {
    send(message: string | Uint8Array<ArrayBuffer>): void;
    close(code?: number, reason?: string): void;
  };

/** Client properties to use instead of a lookup. */
export interface AssumedClient {
  /** ISO 3166-1 alpha-2 code, in upper case. */
  readonly country?: string | undefined;
  readonly asn?: number | undefined;
  readonly device?: Device | undefined;
}

export interface Connection {
  /** IP address of the peer as text. */
  readonly remoteAddress: string;
  /**
   * `https` if the connection is encrypted. The request line cannot be trusted, because it can
   * claim anything.
   */
  readonly scheme: "http" | "https";
  /**
   * The content of a `GET` or `HEAD`, which the `Request` object cannot contain. Set if another
   * platform forwarded the request.
   */
  readonly content?: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Client properties that `svc dev` uses to simulate visitors. */
  readonly assumed?: AssumedClient | undefined;
  /** Whether a server of a deployment on this machine opened the connection. */
  readonly isOwn?: boolean | undefined;
  /**
   * The front edge that forwarded the request. The edge's information about the client overrides
   * that of any proxy.
   */
  readonly relayedBy?: string | undefined;
  /** Whether this edge is on the same machine and has not looked for the client behind proxies. */
  readonly isRelayedHere?: boolean | undefined;
  /** Whether the connection has closed. */
  readonly isGone?: boolean | undefined;
  /** Counts a connection that was upgraded to a WebSocket as open until `ended` settles. */
  hold?(ended: Promise<unknown>): void;
}

/** The trusted proxies and the address databases. */
export interface ClientLookups {
  readonly proxies?: TrustedProxies | undefined;
  readonly geo?: GeoLookup | undefined;
  readonly asn?: AsnLookup | undefined;
}

/**
 * Header fields that are not removed even if `Connection` names them: hop-by-hop fields, framing,
 * and `Via`, which clients must not remove to hide a loop.
 */
const ALWAYS_SEEN: ReadonlySet<string> = new Set([...HOP_BY_HOP, "content-length", "host", "via"]);

const NONE: ReadonlySet<string> = new Set();

/**
 * The header field in which a front edge asks whether it may store a response, and in which the
 * platform replies.
 */
export const KEEP_FIELD = "x-svc-edge-keep";

/** Why a front edge sends a request: for a visitor, or to refresh a stale response. */
export type MayKeep = "visit" | "refresh";

/**
 * Returns the names of the header fields that only apply to the client's connection (RFC 9110,
 * 7.6.1).
 */
function namedByConnection(connection: string | null): ReadonlySet<string> {
  if (connection === null || connection === "keep-alive") return NONE;
  const options = connectionOptions([["connection", connection]])!;
  return options.difference(ALWAYS_SEEN);
}

const rememberedHost = memoize(canonicalHost, 1024);

/**
 * Returns the host of a request, taken from its URL. The host comes from `Host` or, if the request
 * target is in absolute form, from the target (RFC 9112, 3.2.2). A `Host` that contains a path or
 * query (`site/path?`) is rejected, because it would change the path.
 */
function hostOf(authority: string, hostHeader: string | null): string | undefined {
  const host = rememberedHost(authority);
  if (hostHeader === authority || hostHeader === null || hostHeader === "") return host;
  return rememberedHost(hostHeader) === undefined ? undefined : host;
}

/**
 * Returns the depth that the server's process sent, or 1 if the server's code opened the connection
 * itself.
 */
function depthOf(headers: Headers): number {
  const depth = Number(headers.get(DEPTH_HEADER) ?? 1);
  return Number.isInteger(depth) && depth > 0 ? depth : 1;
}

export class ClientRequest implements FactSources {
  readonly method: string;
  /** The host in canonical form, or "" if the request has no valid host. */
  readonly host: string;
  /** Path as the client sent it. */
  readonly rawPath: string;
  /** Query as the client sent it, without its `?`. */
  readonly rawQuery: string;
  /** Address of the client. */
  readonly ip: string;
  /**
   * Number of nested requests from servers to their own platform that led to this request. It is 0
   * for a visitor's request.
   */
  readonly depth: number;
  /** The path as the client sent it, until the edge normalizes it. */
  path: string;
  readonly #request: Request;
  readonly #connection: Connection;
  readonly #urlParts: UrlParts;
  readonly #headers: Headers;
  #allFields: readonly RawField[] | undefined;
  readonly #lookups: ClientLookups;
  /** Whether a trusted proxy sent the request. */
  readonly #isProxied: boolean;
  /** The header fields that `Connection` names. Set once `Connection` has been read. */
  #named: ReadonlySet<string> | undefined;
  #editCookies: ((cookies: string) => string | null) | undefined;
  /** True if a rule needed the client's country or network, which this edge cannot look up. */
  lacksPlace = false;

  constructor(
    request: Request,
    readonly id: string,
    options: { readonly connection: Connection; readonly lookups: ClientLookups },
  ) {
    const { connection, lookups } = options;
    const { remoteAddress } = connection;
    const urlParts = splitUrl(request.url);
    const { authority, path, query } = urlParts;
    this.#urlParts = urlParts;
    this.#connection = connection;
    this.method = request.method;
    this.rawPath = path;
    this.rawQuery = query;
    this.path = path;
    this.#request = request;
    this.#headers = request.headers;
    this.#lookups = lookups;
    this.depth = connection.isOwn === true ? depthOf(this.#headers) : 0;
    this.#isProxied = connection.isOwn !== true &&
      (connection.relayedBy === undefined || connection.isRelayedHere === true) &&
      (lookups.proxies?.trusts(remoteAddress) ?? false);
    let host = hostOf(authority, fieldOf(this.#headers, "host"));
    let ip = remoteAddress;
    if (this.#isProxied) {
      const forwardedHost = this.#headers.get("x-forwarded-host");
      if (forwardedHost !== null) host = canonicalHost(forwardedHost.split(",")[0]!.trim());
      ip = lookups.proxies!.clientAddress(remoteAddress, { header: (name) => this.#sent(name) });
    }
    this.host = host ?? "";
    this.ip = ip;
  }

  /** Returns this request. Later forms of the request in a pipeline refer back to it. */
  get visitor(): ClientRequest {
    return this;
  }

  /** The peer of the connection, regardless of proxies. */
  get peer(): Pick<ClientRequest, "authority" | "ip" | "scheme"> {
    const { remoteAddress: ip, scheme } = this.#connection;
    return { authority: canonicalAuthority(this.#urlParts.authority), ip, scheme };
  }

  /** The front edge that forwarded the request, or `undefined` if none did. */
  get relayedBy(): string | undefined {
    return this.#connection.relayedBy;
  }

  /** All header fields as the client sent them, with names in any case. */
  get sentFields(): readonly RawField[] {
    return allFieldsOf(this.#request) ?? [...this.#headers];
  }

  /**
   * The URL if it determines host, path and query, or "" if a trusted proxy may change the host.
   */
  get unproxiedUrl(): string {
    return this.#isProxied ? "" : this.#request.url;
  }

  /**
   * Returns a request header as servers behind the edge see it. Rules therefore test the same
   * value. Lines with the same name are joined with commas.
   */
  header(name: string): string | null {
    const own = this.#edgeField(name);
    if (own !== undefined) return own;
    if (this.#isHidden(name)) return null;
    const sent = this.#sent(name);
    return sent !== null && name === "cookie" && this.#editCookies !== undefined
      ? this.#editCookies(sent)
      : sent;
  }

  /**
   * Whether the request came from a front edge that may store the response and applies header rules
   * itself.
   */
  get isForEdgeCache(): boolean {
    return this.#connection.relayedBy !== undefined && this.#sent(KEEP_FIELD) !== null;
  }

  /**
   * Whether a front edge is refreshing a stored response. The visit itself is in the front edge's
   * log.
   */
  get isRefresh(): boolean {
    return this.isForEdgeCache && this.#sent(KEEP_FIELD) === "refresh";
  }

  /** Returns a request header as the client sent it. Used only by the gate of a protected host. */
  gateField(name: string): string | null {
    return this.#sent(name);
  }

  /** Adds an edit of the cookies that are visible behind the gate. Edits are applied in order. */
  hideCookies(edit: (cookies: string) => string | null): void {
    const earlier = this.#editCookies;
    this.#editCookies = earlier === undefined ? edit : (cookies) => {
      const rest = earlier(cookies);
      return rest === null ? null : edit(rest);
    };
  }

  /** Returns a request header as the client or its proxy sent it. */
  #sent(name: string): string | null {
    return this.#allFields === undefined
      ? fieldOf(this.#headers, name)
      : valueIn(this.#allFields, name);
  }

  /**
   * Returns the value of a request header that the edge writes itself, or `undefined` for any
   * other.
   */
  #edgeField(name: string): string | undefined {
    switch (name) {
      case "host":
      case "x-forwarded-host":
        return this.authority;
      case "x-forwarded-for":
        return this.ip;
      case "x-forwarded-proto":
        return this.scheme;
    }
    return undefined;
  }

  /**
   * Whether a field must not be forwarded by the edge, because a client could spoof it, or because
   * it applies only to the connection.
   */
  #isHidden(name: string): boolean {
    this.#named ??= namedByConnection(this.#sent("connection"));
    return this.#named.has(name) || !mayForward(name, this.#isProxied);
  }

  /** Reads all request headers in one call, which is faster if many of them are needed. */
  readFields(): void {
    this.#allFields ??= allFieldsOf(this.#request);
  }

  /**
   * Returns the names and values of the request fields to forward. The names are in lower case.
   * Fields that a client could spoof or that `Connection` names are omitted.
   */
  fields(): [string, string][] {
    const fields: [string, string][] = [];
    // An iterator would cost twice as much.
    this.#headers.forEach((value, name) => {
      if (this.#isHidden(name)) return;
      const kept = name === "cookie" ? this.header(name) : value;
      if (kept !== null) fields.push([name, kept]);
    });
    return fields;
  }

  /** The request body, or `null` if there is no body or the method is `GET` or `HEAD`. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return isReading(this.method) ? null : this.#request.body;
  }

  /** The content of a `GET` or `HEAD`, which can be read only once. */
  get content(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (!isReading(this.method)) return null;
    return this.#connection.content ?? contentOf(this.#request);
  }

  /**
   * Aborted when the client disconnects. The runtime only reports disconnects once this property
   * has been read.
   */
  get signal(): AbortSignal {
    return this.#connection.isGone === true ? AbortSignal.abort() : this.#request.signal;
  }

  /**
   * Takes over the connection as a WebSocket.
   *
   * @throws {TypeError} if the client did not request an upgrade
   */
  upgrade(): { readonly socket: ClientSocket; readonly response: Response } {
    const upgraded = Deno.upgradeWebSocket(this.#request);
    const { socket } = upgraded;
    this.#connection.hold?.(
      new Promise((resolve) => {
        socket.addEventListener("close", resolve);
        // If a failure occurs before the socket is open, there is no close event.
        socket.addEventListener("error", resolve);
      }),
    );
    return upgraded;
  }

  /** Host and port that the client sent. The host is in canonical form, as rules see it. */
  get authority(): string {
    const forwarded = this.#isProxied ? this.#sent("x-forwarded-host") : null;
    const named = forwarded === null ? this.#urlParts.authority : forwarded.split(",")[0]!.trim();
    return canonicalAuthority(named);
  }

  /** Set by the trusted proxy, otherwise taken from the connection. */
  get scheme(): "http" | "https" {
    const forwarded = this.#isProxied ? this.#sent("x-forwarded-proto")?.trim() : undefined;
    if (forwarded === "http" || forwarded === "https") return forwarded;
    return this.#connection.scheme;
  }

  /** Path and query as the client sent them. */
  get target(): string {
    return this.rawQuery === "" ? this.rawPath : `${this.rawPath}?${this.rawQuery}`;
  }

  /**
   * Returns the client's country, which is set by the trusted proxy, otherwise looked up from the
   * client's address.
   */
  country(): string | undefined {
    const assumed = this.#connection.assumed?.country;
    if (assumed !== undefined) return assumed;
    if (this.#isProxied) {
      for (const name of COUNTRY_HEADERS) {
        const country = this.#sent(name)?.trim();
        if (country !== undefined && /^[A-Za-z]{2}$/.test(country)) return country.toUpperCase();
      }
    }
    if (this.#lookups.geo === undefined) this.lacksPlace = true;
    return this.#lookups.geo?.country(this.ip);
  }

  /**
   * Returns the client's ASN, which is set by the trusted proxy, otherwise looked up from the
   * client's address.
   */
  asn(): number | undefined {
    const assumed = this.#connection.assumed?.asn;
    if (assumed !== undefined) return assumed;
    const number = this.#isProxied
      ? /^(?:AS)?(\d{1,10})$/i.exec(this.#sent(ASN_HEADER)?.trim() ?? "")
      : null;
    if (number !== null) return Number(number[1]);
    if (this.#lookups.asn === undefined) this.lacksPlace = true;
    return this.#lookups.asn?.asn(this.ip);
  }

  device(): Device {
    return this.#connection.assumed?.device ?? deviceOf(this.header("user-agent"));
  }
}

/**
 * @module The facts about a request that rules use. Each fact is computed on first use and then
 * cached.
 */
import { type IpAddress, parseIp } from "./ip_address.ts";
import { normalizePath, type PathRejection } from "./path.ts";
import type { Device } from "../vocabulary.ts";

/** The facts that conditions, targets and rate limits use. */
export interface RequestFacts {
  readonly method: string;
  /** Lowercase punycode, without port or trailing dot. */
  readonly host: string;
  /** Normalized. */
  readonly path: string;
  /** The query as the client wrote it, without its `?`; "" if there is none. */
  readonly rawQuery: string;
  /**
   * Returns the value of a header, by its lowercase name. Lines with the same name are joined by
   * commas.
   */
  header(name: string): string | undefined;
  /** Returns the decoded values of a query parameter, in order. */
  query(name: string): readonly string[];
  /** Returns the values of a cookie in order, as they were sent. */
  cookie(name: string): readonly string[];
  ip(): IpAddress | undefined;
  /** ISO 3166-1 alpha-2, in upper case. */
  country(): string | undefined;
  asn(): number | undefined;
  device(): Device | undefined;
}

/** The sources of facts. Each function except `header` is called at most once. */
export interface FactSources {
  readonly method: string;
  readonly host: string;
  /** The path as `normalizePath()` returns it. */
  readonly path: string;
  readonly rawQuery: string;
  header(name: string): string | null | undefined;
  /** Address of the client as text. */
  readonly ip?: string;
  country?(): string | undefined;
  asn?(): number | undefined;
  device?(): Device | undefined;
}

const NONE: readonly string[] = Object.freeze([]);
/** Marks a lazy fact that was computed but is unknown. */
const UNKNOWN = Symbol("unknown");
type Memory<T> = T | typeof UNKNOWN | undefined;

function collect(entries: Iterable<readonly [string, string]>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  return values;
}

/** Reads cookie pairs as RFC 6265 5.4 defines them. A pair without `=` is not a cookie. */
function* cookiePairs(header: string): Generator<readonly [string, string]> {
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0) yield [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
  }
}

class LazyFacts implements RequestFacts {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly rawQuery: string;
  #queries: Map<string, string[]> | undefined;
  #cookies: Map<string, string[]> | undefined;
  #address: Memory<IpAddress>;
  #countryCode: Memory<string>;
  #asNumber: Memory<number>;
  #deviceKind: Memory<Device>;

  readonly #sources: FactSources;

  constructor(sources: FactSources) {
    this.#sources = sources;
    this.method = sources.method;
    this.host = sources.host;
    this.path = sources.path;
    this.rawQuery = sources.rawQuery;
  }

  header(name: string): string | undefined {
    return this.#sources.header(name) ?? undefined;
  }

  query(name: string): readonly string[] {
    if (this.rawQuery === "") return NONE;
    // Removes the "?". A second "?" directly after it belongs to the first name.
    this.#queries ??= collect(new URLSearchParams(`?${this.rawQuery}`));
    return this.#queries.get(name) ?? NONE;
  }

  cookie(name: string): readonly string[] {
    this.#cookies ??= collect(cookiePairs(this.header("cookie") ?? ""));
    return this.#cookies.get(name) ?? NONE;
  }

  ip(): IpAddress | undefined {
    this.#address ??= parseIp(this.#sources.ip ?? "") ?? UNKNOWN;
    return this.#address === UNKNOWN ? undefined : this.#address;
  }

  country(): string | undefined {
    this.#countryCode ??= this.#sources.country?.()?.toUpperCase() ?? UNKNOWN;
    return this.#countryCode === UNKNOWN ? undefined : this.#countryCode;
  }

  asn(): number | undefined {
    this.#asNumber ??= this.#sources.asn?.() ?? UNKNOWN;
    return this.#asNumber === UNKNOWN ? undefined : this.#asNumber;
  }

  device(): Device | undefined {
    this.#deviceKind ??= this.#sources.device?.() ?? UNKNOWN;
    return this.#deviceKind === UNKNOWN ? undefined : this.#deviceKind;
  }
}

/** Creates facts that are computed on demand. */
export function createFacts(sources: FactSources): RequestFacts {
  return new LazyFacts(sources);
}

/** A request described as data, for `explain`, rule test tables, and tests of the code. */
export interface DescribedRequest {
  /** By default, `GET`. */
  readonly method?: string;
  /**
   * An absolute URL, or a path with a query. The path is used as written, not as a browser resolves
   * it.
   */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
  readonly country?: string;
  readonly asn?: number;
  readonly device?: Device;
}

const URL_PARTS = /^(?:https?:\/\/([^\/?#\\]*))?([^?#]*)(?:\?([^#]*))?/i;
/** Host of a described request whose URL and headers contain no host. */
const DEFAULT_HOST = "localhost";

/**
 * Returns the host in a `Host` header or authority, in lowercase punycode without a port or
 * trailing dot, or `undefined` if it is invalid.
 */
export function requestHost(host: string): string | undefined {
  const url = /[\/?#@\\\s]/.test(host) ? null : URL.parse(`http://${host}/`);
  return url === null ? undefined : url.hostname.replace(/\.$/, "");
}

/** Creates facts from a described request. Throws TypeError if the URL contains an invalid host. */
export function factsFromRequest(request: DescribedRequest): RequestFacts | PathRejection {
  const [, authority, rawPath = "", rawQuery = ""] = URL_PARTS.exec(request.url) ?? [];
  const headers = new Headers(request.headers);
  const named = authority?.replace(/^.*@/, "") ?? headers.get("host") ?? DEFAULT_HOST;
  const host = requestHost(named);
  if (host === undefined) throw new TypeError(`Name a valid host in the URL: it is "${named}"`);
  const path = normalizePath(rawPath);
  if (typeof path !== "string") return path;
  const { ip, country, asn, device } = request;
  return createFacts({
    method: (request.method ?? "GET").toUpperCase(),
    host,
    path,
    rawQuery,
    header: (name) => headers.get(name),
    ip,
    country: () => country,
    asn: () => asn,
    device: () => device,
  });
}

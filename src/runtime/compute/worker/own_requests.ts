/**
 * @module Requests from a server to its own hosts: resolves the names of the hosts, and counts the
 * nesting depth of the requests.
 */
import dns from "node:dns";
import net from "node:net";
import { depthField } from "../engine/request_scope.ts";
import { findOwnHosts, OWN_ADDRESS, OwnHosts } from "../engine/own_hosts.ts";
import type { Method } from "../engine/node_servers.ts";

type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>;

/** Maximum number of redirects to follow (Fetch, 4.4: HTTP-redirect fetch). */
const MAX_REDIRECTS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

class OwnRequests {
  /**
   * HTTP clients, by port. Each connects to its port on the loopback address, regardless of the
   * requested host.
   */
  readonly #clients = new Map<number, Deno.HttpClient>();

  readonly #own: OwnHosts;
  readonly #send: Fetch;
  readonly #createClient: typeof Deno.createHttpClient;

  constructor(own: OwnHosts, send: Fetch, createClient: typeof Deno.createHttpClient) {
    this.#own = own;
    this.#send = send;
    this.#createClient = createClient;
  }

  async fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    let request = new Request(input, init);
    for (let redirects = 0; this.#own.includes(new URL(request.url).hostname); redirects++) {
      if (redirects > MAX_REDIRECTS) throw new TypeError("Too many redirects");
      const response = await this.#sendOwn(request);
      const next = request.redirect === "follow" ? nextRequest(request, response) : undefined;
      if (next === undefined) return response;
      await response.body?.cancel();
      request = next;
    }
    return await this.#send(request);
  }

  async #sendOwn(request: Request): Promise<Response> {
    const { hostname, port, protocol } = new URL(request.url);
    const own = new Request(request, { redirect: "manual" });
    own.headers.set(...depthField());
    if (!this.#own.resolves(hostname)) return await this.#send(own);
    const client = this.#client(Number(port) || (protocol === "https:" ? 443 : 80));
    return await this.#send(own, { client } as RequestInit);
  }

  #client(port: number): Deno.HttpClient {
    const known = this.#clients.get(port);
    if (known !== undefined) return known;
    const client = this.#createClient({ proxy: { transport: "tcp", hostname: OWN_ADDRESS, port } });
    this.#clients.set(port, client);
    return client;
  }
}

/**
 * Returns the request that follows a redirect, or `undefined` if there is no redirect, or if the
 * body cannot be sent again.
 */
function nextRequest(request: Request, { status, headers }: Response): Request | undefined {
  const location = headers.get("location");
  if (!REDIRECTS.has(status) || location === null) return undefined;
  const url = URL.parse(location, request.url);
  if (url === null) return undefined;
  const reads = request.method === "GET" || request.method === "HEAD";
  if (reads) return new Request(url, request);
  if (status > 303) return undefined;
  const kept = new Headers(request.headers);
  for (const name of ["content-type", "content-length", "content-encoding"]) kept.delete(name);
  return new Request(url, { headers: kept, signal: request.signal });
}

/**
 * Makes `node:net` sockets resolve the server's own hosts with `dns.lookup`. By default, they use a
 * function that other code cannot replace.
 */
function lookUpForSockets(own: OwnHosts): void {
  const prototype = net.Socket.prototype as unknown as Record<string, Method>;
  const connect = prototype.connect!;
  prototype.connect = function (...args) {
    const [first] = args;
    const options: unknown = Array.isArray(first) ? first[0] : first;
    if (typeof options === "object" && options !== null) {
      const host: unknown = Reflect.get(options, "host");
      if (typeof host === "string" && own.resolves(host)) {
        Reflect.set(options, "lookup", dns.lookup);
      }
    }
    return connect.apply(this, args);
  };
}

/**
 * Makes Node's modules, `fetch` and `Deno.connect` find the server's own hosts at the loopback
 * address.
 */
export function prepareOwnRequests(hosts: readonly string[]): void {
  const own = new OwnHosts(hosts);
  findOwnHosts(own);
  lookUpForSockets(own);
  const send: Fetch = globalThis.fetch;
  const requests = new OwnRequests(own, send, Deno.createHttpClient);
  globalThis.fetch = ((input: Request | URL | string, init?: RequestInit) => {
    const url = URL.parse(input instanceof Request ? input.url : String(input));
    const isOwn = url !== null && own.includes(url.hostname);
    return isOwn ? requests.fetch(input, init) : send(input, init);
  }) as typeof fetch;
  const connect = Deno.connect as unknown as (options: { hostname?: string }) => Promise<Deno.Conn>;
  Reflect.set(
    Deno,
    "connect",
    (options: { hostname?: string }) =>
      options.hostname !== undefined && own.resolves(options.hostname)
        ? connect({ ...options, hostname: OWN_ADDRESS })
        : connect(options),
  );
}

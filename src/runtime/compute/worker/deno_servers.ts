/**
 * @module Makes Deno servers (`Deno.serve`), and modules whose default export has `fetch`, listen
 * on the Unix socket. Requests to these servers have the client's URL.
 */
import { CALLS_ITSELF, inRequest, readDepth } from "../engine/request_scope.ts";
import type { ServerAddress } from "../engine/address.ts";
import { ACCEPT_ENCODING_HEADER, DEPTH_HEADER, MAX_DEPTH, REQUEST_ID_HEADER } from "../wire.ts";

type Handler = (request: Request, info: object) => Response | Promise<Response>;

interface ServeOptions {
  readonly port?: number;
  readonly hostname?: string;
  readonly path?: string;
  readonly handler?: Handler;
  readonly signal?: AbortSignal;
  readonly onListen?: (address: object) => void;
  readonly onError?: (error: unknown) => Response | Promise<Response>;
}

type Serve = (options: object, handler: Handler) => Deno.HttpServer;

/**
 * Returns the request as the client sent it, with an http(s) URL instead of a Unix socket's URL.
 */
function webRequest(request: Request): Request {
  const secure = request.headers.get("x-forwarded-proto") === "https";
  const url = request.url.replace(/^http\+unix:/, secure ? "https:" : "http:");
  if (request.headers.has("upgrade")) {
    // Only the original request can be upgraded.
    Object.defineProperty(request, "url", { value: url });
    return request;
  }
  const seen = new Request(url, request);
  const accepted = seen.headers.get(ACCEPT_ENCODING_HEADER);
  if (accepted !== null) {
    seen.headers.delete(ACCEPT_ENCODING_HEADER);
    seen.headers.set("accept-encoding", accepted);
  }
  return seen;
}

const PEER = { transport: "tcp", hostname: "127.0.0.1", port: 1 } as const;

function readArguments(first: unknown, second: unknown): [ServeOptions, Handler] {
  if (typeof first === "function") return [{}, first as Handler];
  const options = (first ?? {}) as ServeOptions;
  const handler = typeof second === "function" ? second as Handler : options.handler;
  if (typeof handler !== "function") throw new TypeError("A handler function must be provided");
  return [options, handler];
}

function serveAt(
  address: ServerAddress,
  serve: Serve,
  [options, handler]: [ServeOptions, Handler],
): Deno.HttpServer {
  const advertised = address.advertised(options.port ?? 8000, options.hostname);
  if (address.take() === undefined) {
    throw new Deno.errors.PermissionDenied(address.refused(advertised).message);
  }
  const shown = { transport: "tcp", hostname: advertised.address, port: advertised.port };
  const { signal, onError, onListen } = options;
  const server = serve({
    path: address.socket,
    signal,
    onError,
    onListen: () => {
      onListen?.(shown);
    },
  }, (request, info) => {
    const id = request.headers.get(REQUEST_ID_HEADER) ?? undefined;
    const depth = readDepth(request.headers.get(DEPTH_HEADER));
    if (depth > MAX_DEPTH) return new Response(CALLS_ITSELF, { status: 508 });
    const seen = Object.create(info, { remoteAddr: { value: PEER, enumerable: true } });
    return inRequest({ id, depth }, () => handler(webRequest(request), seen));
  });
  Object.defineProperty(server, "addr", { value: shown, configurable: true });
  const release = () => address.release();
  server.finished.then(release, release);
  address.listening();
  return server;
}

/** Redirects `Deno.serve` to the address, and rejects other ways to listen. */
export function redirectDenoServers(address: ServerAddress): void {
  const serve = Deno.serve.bind(Deno) as unknown as Serve;
  const listen = (): never => {
    throw new Deno.errors.PermissionDenied(
      "A deployed server speaks HTTP on one port: listen with Deno.serve, node:http, or " +
        "`export default { fetch }` instead of Deno.listen",
    );
  };
  Object.defineProperties(Deno, {
    serve: {
      configurable: true,
      enumerable: true,
      writable: true,
      value: (first: unknown, second: unknown) =>
        serveAt(address, serve, readArguments(first, second)),
    },
    listen: { configurable: true, enumerable: true, writable: true, value: listen },
    listenTls: { configurable: true, enumerable: true, writable: true, value: listen },
  });
}

/** Serves a module that exports only a handler. Returns false if the module exports no handler. */
export function serveModule(module: Readonly<Record<string, unknown>>): boolean {
  const exported = module.default;
  if (typeof exported !== "object" || exported === null) return false;
  const fetch: unknown = Reflect.get(exported, "fetch");
  if (typeof fetch !== "function") return false;
  Deno.serve(
    { port: 0, onListen: () => {} },
    (request, info) => fetch.call(exported, request, info),
  );
  return true;
}

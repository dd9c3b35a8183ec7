/**
 * Servers of `node:http`: they listen on the Unix socket, and each request runs in
 * a scope with its id.
 *
 * Up to Deno 2.6, an `http.Server` is no `net.Server`: it uses Deno's own server,
 * to which `_additionalServeOptions` may pass a path.
 *
 * @module
 */
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { ACCEPT_ENCODING_HEADER, REQUEST_ID_HEADER } from "../wire.ts";
import { type AdvertisedAddress, refusedListen, type ServerAddress } from "./address.ts";
import { inRequest } from "./request_scope.ts";

type Method = (this: Emitter, ...args: unknown[]) => unknown;

interface Emitter {
  emit(event: string, ...args: unknown[]): boolean;
  once(event: string, listener: (...args: unknown[]) => void): unknown;
}

interface IncomingRequest {
  url: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly headers: Record<string, string | string[] | undefined>;
}

/** The arguments of `listen`; `other` is a socket or descriptor of the server's own. */
type Asked = { readonly port?: number; readonly host?: string } | "other";

/** Reads the many forms of `server.listen()` (Node, net). */
export function readListenArguments(args: readonly unknown[]): Asked {
  const [first, second] = args;
  if (typeof first === "object" && first !== null) {
    const { port, host, path, fd, handle, _handle } = first as Record<string, unknown>;
    const elsewhere = (typeof path === "string" && path !== "") || typeof fd === "number";
    if (elsewhere || (handle ?? _handle ?? undefined) !== undefined) return "other";
    return { ...readPort(port), ...(typeof host === "string" ? { host } : {}) };
  }
  if (typeof first === "string" && !/^\d+$/.test(first)) return "other";
  return { ...readPort(first), ...(typeof second === "string" ? { host: second } : {}) };
}

function readPort(value: unknown): { readonly port?: number } {
  const port = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof port === "number" && Number.isInteger(port) ? { port } : {};
}

/** The path and query: Deno shows a request over a Unix socket as `//host/path`. */
const originForm = (url: string): string => {
  if (!url.startsWith("//")) return url;
  const path = url.indexOf("/", 2);
  return path === -1 ? "/" : url.slice(path);
};

/** Events whose first argument is a request. */
const WITH_REQUEST: ReadonlySet<string> = new Set([
  "request",
  "upgrade",
  "checkContinue",
  "checkExpectation",
]);

/** Puts `Accept-Encoding` back where the client had it. */
function restoreAcceptEncoding(request: IncomingRequest): void {
  const { headers } = request;
  const accepted = headers[ACCEPT_ENCODING_HEADER];
  if (accepted === undefined) return;
  const isHidden = (name: string) => name.toLowerCase() === ACCEPT_ENCODING_HEADER;
  // Deno 2.6 makes a new array whenever it is read.
  const rawHeaders = request.rawHeaders.map((part, index) =>
    index % 2 === 0 && isHidden(part) ? "accept-encoding" : part
  );
  Object.defineProperty(request, "rawHeaders", { value: rawHeaders, configurable: true });
  delete headers[ACCEPT_ENCODING_HEADER];
  headers["accept-encoding"] = accepted;
}

/** Peers of a Unix socket have no address, but frameworks expect one. */
const PEER = {
  remoteAddress: "127.0.0.1",
  remoteFamily: "IPv4",
  remotePort: 1,
  localAddress: "127.0.0.1",
} as const;

function scopeRequests(prototype: Emitter, denoServes: boolean): void {
  const emit = prototype.emit;
  const replaced: Method = function (event, ...args) {
    const first = args[0];
    if (event === "connection" || !WITH_REQUEST.has(String(event))) {
      if (event === "connection") addPeer(first);
      return emit.call(this, String(event), ...args);
    }
    const request = first as IncomingRequest & { readonly socket?: unknown };
    if (denoServes) {
      request.url = originForm(request.url);
      addPeer(request.socket);
    }
    restoreAcceptEncoding(request);
    const id = request.headers[REQUEST_ID_HEADER];
    return inRequest(
      typeof id === "string" ? id : undefined,
      () => emit.call(this, String(event), ...args),
    );
  };
  Object.defineProperty(prototype, "emit", { value: replaced, writable: true, configurable: true });
}

function addPeer(socket: unknown): void {
  if (typeof socket !== "object" || socket === null) return;
  for (const [name, value] of Object.entries(PEER)) {
    Object.defineProperty(socket, name, { value, configurable: true, writable: true });
  }
}

const advertisedBy = new WeakMap<object, AdvertisedAddress>();

function replaceAddress(prototype: object): void {
  const address = Reflect.get(prototype, "address") as Method;
  const replaced: Method = function () {
    return advertisedBy.get(this) ?? address.call(this);
  };
  Reflect.set(prototype, "address", replaced);
}

/** True where the server may listen; otherwise it gets an error event, as from Node. */
function mayListen(
  server: Emitter,
  advertised: AdvertisedAddress,
  address: ServerAddress,
): boolean {
  if (!address.take()) {
    queueMicrotask(() => server.emit("error", refusedListen(advertised)));
    return false;
  }
  advertisedBy.set(server, advertised);
  server.once("listening", () => address.listening());
  server.once("close", () => {
    advertisedBy.delete(server);
    address.release();
  });
  return true;
}

function replaceListen(address: ServerAddress): void {
  const prototype = net.Server.prototype as unknown as Record<string, Method>;
  const listen = prototype.listen!;
  prototype.listen = function (...args) {
    const asked = readListenArguments(args);
    if (asked === "other") return listen.apply(this, args);
    const callback = args.find((argument) => typeof argument === "function");
    const advertised = address.advertised(asked.port, asked.host);
    if (!mayListen(this, advertised, address)) return this;
    return callback === undefined
      ? listen.call(this, { path: address.socket })
      : listen.call(this, { path: address.socket }, callback);
  };
  replaceAddress(prototype);
}

function replaceServe(address: ServerAddress): void {
  const prototype = http.Server.prototype as unknown as Record<string, Method>;
  const serve = prototype._serve!;
  const options: Method = function () {
    return { path: address.socket, onListen: () => this.emit("listening") };
  };
  const ownAddress = prototype.address!;
  prototype._serve = function () {
    const { port, address: host } = ownAddress.call(this) as { port: number; address: string };
    if (mayListen(this, address.advertised(port, host), address)) serve.call(this);
  };
  prototype._additionalServeOptions = options;
  // Deno 2.6 has none, and writes a complaint to the log of each server that calls it.
  prototype.setTimeout = function () {
    return this;
  };
  const secure = https.Server.prototype as unknown as Record<string, Method>;
  secure._additionalServeOptions = options;
  replaceAddress(prototype);
}

/**
 * Up to Deno 2.6, a socket that writes several buffers at once loses what the
 * system does not take at once, and the peer waits: this writes them one by one.
 */
function writeOneByOne(): void {
  Reflect.set(net.Socket.prototype, "_writev", null);
}

/** Redirects the servers of Node to the address. */
export function redirectNodeServers(address: ServerAddress): void {
  const denoServes = !(http.Server.prototype instanceof net.Server);
  replaceListen(address);
  if (denoServes) {
    replaceServe(address);
    writeOneByOne();
  }
  scopeRequests(http.Server.prototype as unknown as Emitter, denoServes);
}

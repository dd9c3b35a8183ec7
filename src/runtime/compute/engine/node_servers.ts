/** @module Makes `node:net` and `node:http` servers listen on the Unix socket. */
import http from "node:http";
import net from "node:net";
import {
  ACCEPT_ENCODING_HEADER,
  DEPTH_HEADER,
  GREETING,
  MAX_DEPTH,
  REQUEST_ID_HEADER,
} from "../wire.ts";
import type { AdvertisedAddress, ServerAddress } from "./address.ts";
import { CALLS_ITSELF, inRequest, readDepth } from "./request_scope.ts";

export type Method = (this: Emitter, ...args: unknown[]) => unknown;

export interface Emitter {
  emit(event: string, ...args: unknown[]): boolean;
  once(event: string, listener: (...args: unknown[]) => void): unknown;
}

interface IncomingRequest {
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[];
  readonly headers: Record<string, string | string[] | undefined>;
}

/** The arguments of `listen`. `other` is a socket or descriptor that the server already has. */
type ListenArguments = { readonly port?: number; readonly host?: string } | "other";

/** Reads the many forms of `server.listen()` (Node, net). */
export function readListenArguments(args: readonly unknown[]): ListenArguments {
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

/** Events whose first argument is a request. */
const WITH_REQUEST: ReadonlySet<string> = new Set([
  "request",
  "upgrade",
  "checkContinue",
  "checkExpectation",
]);

/** Restores the client's `Accept-Encoding`, which the platform sends under a different name. */
function restoreAcceptEncoding(request: IncomingRequest): void {
  const { headers } = request;
  const accepted = headers[ACCEPT_ENCODING_HEADER];
  if (accepted === undefined) return;
  const isHidden = (name: string) => name.toLowerCase() === ACCEPT_ENCODING_HEADER;
  // Deno creates a new array each time the property is read.
  const rawHeaders = request.rawHeaders.map((part, index) =>
    index % 2 === 0 && isHidden(part) ? "accept-encoding" : part
  );
  Object.defineProperty(request, "rawHeaders", { value: rawHeaders, configurable: true });
  delete headers[ACCEPT_ENCODING_HEADER];
  headers["accept-encoding"] = accepted;
}

/** Peers on a Unix socket have no address, but frameworks expect one. */
const PEER = {
  remoteAddress: "127.0.0.1",
  remoteFamily: "IPv4",
  remotePort: 1,
  localAddress: "127.0.0.1",
} as const;

/** Changes a request, and its response or socket, before the server's code sees them. */
export type Adapt = (request: object, answer: unknown) => void;

/** Makes servers with this prototype handle each request in its own scope. */
export function scopeRequests(prototype: Emitter, adapt?: Adapt): void {
  const emit = prototype.emit;
  const replaced: Method = function (event, ...args) {
    const first = args[0];
    if (event === "connection" || !WITH_REQUEST.has(String(event))) {
      if (event === "connection") {
        addPeer(first);
        if (greeters.has(this)) (first as net.Socket).write(GREETING, "latin1");
      }
      return emit.call(this, String(event), ...args);
    }
    const request = first as IncomingRequest;
    adapt?.(request, args[1]);
    restoreAcceptEncoding(request);
    const id = request.headers[REQUEST_ID_HEADER];
    const depth = readDepth(request.headers[DEPTH_HEADER]);
    if (depth > MAX_DEPTH && event === "request") {
      (args[1] as http.ServerResponse).writeHead(508).end(CALLS_ITSELF);
      return true;
    }
    return inRequest(
      { id: typeof id === "string" ? id : undefined, depth },
      () => emit.call(this, String(event), ...args),
    );
  };
  Object.defineProperty(prototype, "emit", { value: replaced, writable: true, configurable: true });
}

/** Gives a socket the local and remote addresses that frameworks expect. */
export function addPeer(socket: unknown): void {
  if (typeof socket !== "object" || socket === null) return;
  for (const [name, value] of Object.entries(PEER)) {
    Object.defineProperty(socket, name, { value, configurable: true, writable: true });
  }
}

const advertisedBy = new WeakMap<object, AdvertisedAddress>();

/** Servers that send a greeting over each connection. */
const greeters = new WeakSet<object>();

/** Makes the `address()` method of servers return the address that they requested. */
export function replaceAddress(prototype: object): void {
  const address = Reflect.get(prototype, "address") as Method;
  const replaced: Method = function () {
    return advertisedBy.get(this) ?? address.call(this);
  };
  Reflect.set(prototype, "address", replaced);
}

/**
 * Claims the address for a server that is about to listen.
 *
 * @returns the path of its socket, or its error
 */
export function takeAddress(
  server: Emitter,
  advertised: AdvertisedAddress,
  address: ServerAddress,
): string | Error {
  const path = address.take(advertised.port);
  if (path === undefined) return address.refused(advertised);
  advertisedBy.set(server, advertised);
  const greets = address.greetsAt(path) && server instanceof http.Server;
  if (greets) greeters.add(server);
  server.once("listening", () => address.listening(greets, path, server));
  server.once("close", () => {
    advertisedBy.delete(server);
    address.release(path);
  });
  return path;
}

/** Redirects the `listen()` calls of all `node:net` servers to the address. */
export function replaceListen(address: ServerAddress): void {
  const prototype = net.Server.prototype as unknown as Record<string, Method>;
  const listen = prototype.listen!;
  prototype.listen = function (...args) {
    const asked = readListenArguments(args);
    if (asked === "other") return listen.apply(this, args);
    const callback = args.find((argument) => typeof argument === "function");
    const advertised = address.advertised(asked.port, asked.host);
    const path = takeAddress(this, advertised, address);
    if (typeof path !== "string") {
      queueMicrotask(() => this.emit("error", path));
      return this;
    }
    return callback === undefined
      ? listen.call(this, { path })
      : listen.call(this, { path }, callback);
  };
  replaceAddress(prototype);
}

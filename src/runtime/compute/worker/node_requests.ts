/**
 * @module `node:http` requests and responses in Deno, with the Node behavior that Deno lacks: they
 * end when their connection closes, and `destroy()` ends them.
 */
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { type Adapt, addPeer } from "../engine/node_servers.ts";

type Done = (error?: Error | null) => void;

/** The substitute for a socket that Deno passes to each request. */
interface RequestSocket {
  /** Reads the body. Missing if there is no body. */
  readonly reader?: ReadableStreamDefaultReader<Uint8Array>;
  emit(event: string, ...args: unknown[]): boolean;
  once(event: string, listener: () => void): unknown;
  destroy(error?: Error): unknown;
}

interface DenoRequest extends Readable {
  url: string;
  readonly socket: RequestSocket;
}

interface DenoResponse extends Writable {
  finished: boolean;
  readonly headersSent: boolean;
  /** Responds to the request, once. */
  readonly _resolve: (response: Response) => void;
  _destroy(error: Error | null, done: Done): void;
}

/** Returns the path and query: Deno shows a request over a Unix socket as `//host/path`. */
const originForm = (url: string): string => {
  if (!url.startsWith("//")) return url;
  const path = url.indexOf("/", 2);
  return path === -1 ? "/" : url.slice(path);
};

/** Deno never ends a request without a body, so `for await` would wait forever for the end. */
function endWithoutBody(request: DenoRequest): void {
  if (request.socket.reader !== undefined) return;
  request._destroy = (error, done) => {
    const heard = error !== null && request.listenerCount("error") > 0;
    process.nextTick(done, heard ? error : null);
  };
}

/** Aborts the response if it is incomplete. */
function breakOffWhenDestroyed(response: DenoResponse): void {
  const destroy = response._destroy;
  response._destroy = (error, done) => {
    if (response.writableFinished) return destroy.call(response, null, done);
    response.finished = true;
    // Only the stream of the response's body can close the connection.
    destroy.call(response, error ?? new Error("The response was destroyed"), () => {
      if (!response.headersSent) response._resolve(new Response(null, { status: 500 }));
      done(error);
    });
  };
}

/**
 * Ends the request and the response when the client disconnects, which Deno reports only to a
 * listener.
 */
function endWithConnection(request: DenoRequest, response: DenoResponse): void {
  const { socket } = request;
  const emit = socket.emit.bind(socket);
  // Deno reports every end of a request as an error, even if the request was complete.
  socket.emit = (event, ...args) => event !== "error" && emit(event, ...args);
  response.removeAllListeners("newListener");
  for (const symbol of Object.getOwnPropertySymbols(Object.getPrototypeOf(socket))) {
    const bind: unknown = Reflect.get(socket, symbol);
    if (typeof bind === "function") bind.call(socket);
  }
  socket.destroy = (error) => response.destroy(error);
  socket.once("close", () => {
    if (!response.writableFinished) response.destroy();
    if (!request.readableEnded) request.destroy();
  });
}

/**
 * Gives a request and its response the properties that they have in Node, before the server's code
 * sees them.
 */
export const adaptRequest: Adapt = (first, answer) => {
  const request = first as DenoRequest;
  request.url = originForm(request.url);
  addPeer(request.socket);
  // For an upgrade, the response is the socket itself.
  if (typeof Reflect.get(answer as object, "_resolve") !== "function") return;
  endWithoutBody(request);
  breakOffWhenDestroyed(answer as DenoResponse);
  endWithConnection(request, answer as DenoResponse);
};

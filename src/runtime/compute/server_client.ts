/** @module HTTP/1.1 to one server, over persistent connections. */
import { connectionOptions, HOP_BY_HOP } from "../../lib/hop_by_hop.ts";
import { announceBody, isRepeatable } from "../http1/request_body.ts";
import type {
  ConnectionTimes,
  Http1Connection,
  WireAnswer,
  WireRequest,
} from "../http1/connection.ts";
import { Deadlines } from "../http1/deadlines.ts";
import { type LazySignal, SIGNAL_DELAY_MS } from "../http1/exchange_watch.ts";
import { OutboundError } from "../http1/errors.ts";
import { ServerConnections } from "./server_connections.ts";
import type { ComputeRequest } from "./types.ts";
import { ACCEPT_ENCODING_HEADER, REQUEST_ID_HEADER } from "./wire.ts";

/**
 * Idle time after which a connection is closed, in milliseconds. Node closes its idle connections
 * after 5 s.
 */
const KEEP_ALIVE_MS = 4000;

/**
 * If a connection breaks within this time, in milliseconds, the server is assumed to have closed
 * the connection before it read the request.
 */
const UNREAD_MS = 100;

type Header = readonly [name: string, value: string];

/** A body may pause for any length of time, as event streams do. */
const NO_IDLE_LIMIT_MS = Infinity;

/** Hop-by-hop fields, and fields that are set again for the server. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-length",
  "expect",
  REQUEST_ID_HEADER,
  ACCEPT_ENCODING_HEADER,
]);

/** Returns the headers for the server, without the headers that describe the body's transfer. */
export function forwardedHeaders(request: Omit<ComputeRequest, "body">): Header[] {
  const named = connectionOptions(request.headers);
  const headers: Header[] = [];
  for (const field of request.headers) {
    const lower = field[0].toLowerCase();
    if (!LEFT_OUT.has(lower) && named?.has(lower) !== true) headers.push(field);
  }
  headers.push([REQUEST_ID_HEADER, request.requestId]);
  return headers;
}

function toWire(request: ComputeRequest, hidesEncodings: boolean): WireRequest {
  const { method, target, body } = request;
  const { length, headers: ofBody } = announceBody(request);
  const headers = forwardedHeaders(request);
  const at = hidesEncodings ? headers.findIndex(isAcceptEncoding) : -1;
  if (at !== -1) hideAcceptEncoding(headers, at);
  for (const field of ofBody) headers.push(field);
  const stream = body instanceof Uint8Array ? new Blob([body]).stream() : body;
  return { method, target, headers, body: stream, length };
}

const isAcceptEncoding = ([name]: Header): boolean =>
  name.length === 15 && name.toLowerCase() === "accept-encoding";

/** Renames the `Accept-Encoding` fields; `first` is the index of the first one. */
function hideAcceptEncoding(headers: Header[], first: number): void {
  for (let at = first; at < headers.length; at++) {
    const field = headers[at]!;
    if (isAcceptEncoding(field)) headers[at] = [ACCEPT_ENCODING_HEADER, field[1]];
  }
}

export interface SendOptions {
  /** Maximum time until the response headers arrive, in milliseconds. */
  readonly timeoutMs: number;
  /** Called once, when the exchange is over or has failed. */
  readonly over: () => void;
}

export class ServerClient {
  readonly #times: ConnectionTimes = {
    deadlines: new Deadlines(KEEP_ALIVE_MS),
    exchanges: new Deadlines(SIGNAL_DELAY_MS),
    idleMs: NO_IDLE_LIMIT_MS,
    keepAliveMs: KEEP_ALIVE_MS,
  };

  readonly #connections: ServerConnections;
  /** Connections for requests with a body that may be sent twice. */
  readonly #unsure: ServerConnections;

  readonly #hidesEncodings;

  /**
   * `hidesEncodings` says whether to pass `Accept-Encoding` to the server's process under a
   * different name, as for this program's own processes.
   */
  constructor(dial: () => Promise<Deno.Conn>, hidesEncodings = true) {
    this.#hidesEncodings = hidesEncodings;
    this.#connections = new ServerConnections({ dial, times: this.#times });
    this.#unsure = new ServerConnections({ dial, times: this.#times });
  }

  /** Whether the server sends a greeting over each connection that it accepts. */
  set greets(greets: boolean) {
    this.#connections.greets = this.#unsure.greets = greets;
  }

  /** Retires the open connections, so new requests get new connections. */
  reconnect(): void {
    this.#connections.close();
    this.#unsure.close();
  }

  /** Closes idle connections, and stops watching the other connections. */
  close(): void {
    this.reconnect();
    this.#times.deadlines.stop();
    this.#times.exchanges.stop();
  }

  /**
   * Sends a request and waits for the head of its response.
   *
   * @throws OutboundError; `idle_timeout` if the head did not arrive in time
   */
  async send(request: ComputeRequest, options: SendOptions): Promise<WireAnswer> {
    try {
      const wire = toWire(request, this.#hidesEncodings);
      const { signal } = request;
      const mayRepeat = request.body instanceof Uint8Array;
      const connections = mayRepeat ? this.#unsure : this.#connections;
      // A server that responds before it has read the body may close the connection without notice.
      // The next request on the connection would fail too late for a retry.
      const leavesAt = mayRepeat || request.body === null ? connections : undefined;
      const how = { ...options, signal, leavesAt };
      const taken = connections.take();
      const connection = taken instanceof Promise ? await taken : taken;
      const wasUsed = connection.used > 0;
      const began = performance.now();
      try {
        return await this.#exchange(connection, wire, how);
      } catch (error) {
        const stale = wasUsed && error instanceof OutboundError && error.code === "reset";
        // If the connection breaks later, the server may have handled the request, or crashed
        // because of it.
        const isUnread = mayRepeat && performance.now() - began < UNREAD_MS;
        if (!stale || !isUnread && !isRepeatable(wire)) throw error;
      }
      const again = mayRepeat ? toWire(request, this.#hidesEncodings) : wire;
      return await this.#exchange(await connections.open(), again, how);
    } catch (error) {
      options.over();
      throw error;
    }
  }

  async #exchange(
    connection: Http1Connection,
    wire: WireRequest,
    { timeoutMs, over, signal, leavesAt }: SendOptions & {
      readonly signal: LazySignal | undefined;
      /**
       * The pool that gets the connection after the exchange. If there is none, the connection is
       * closed.
       */
      readonly leavesAt: ServerConnections | undefined;
    },
  ): Promise<WireAnswer> {
    // The exchange may end before this function resumes. Until then, `send()` reports failures.
    let isAnswered = false;
    let isOver = false;
    const answer = await connection.exchange(wire, {
      done: (reusable) => {
        if (reusable && leavesAt !== undefined) leavesAt.give(connection);
        else if (reusable) connection.close();
        isOver = true;
        if (isAnswered) over();
      },
      signal,
      headMs: timeoutMs,
    });
    isAnswered = true;
    if (isOver) over();
    return answer;
  }
}

/**
 * What a handler knows of the connection that a request came over, and the
 * bounds that connections are held to.
 *
 * @module
 */

/** The client's end of a connection. */
export interface ClientConnection {
  /** IP address of the socket's other end, as text. */
  readonly remoteAddress: string;
  /** Whether the listener speaks TLS, whatever a request line says. */
  readonly scheme: "http" | "https";
  /** Counts the connection as open until `ended` settles: it was upgraded to a WebSocket. */
  hold(ended: Promise<unknown>): void;
}

export type ConnectionHandler = (
  request: Request,
  connection: ClientConnection,
) => Response | Promise<Response>;

/** Bounds of the connections that clients open; times in milliseconds. */
export interface ConnectionLimits {
  /** Connections at the same time; a further one takes the place of an idle one, or waits. */
  readonly maxConnections: number;
  /** Connections of one address at the same time; trusted proxies are exempt. */
  readonly maxPerAddress: number;
  /** For a TLS handshake. */
  readonly handshakeMs: number;
  /** For the head of the first request. */
  readonly headMs: number;
  /** Without any progress of a body, in either direction. */
  readonly bodyMs: number;
  /** From the end of an answer to the head of the next request. */
  readonly keepAliveMs: number;
}

/** Facts about connections for handlers, and limits of connections. @module */

export interface ClientConnection {
  /** Whether HTTP has ended on it. */
  readonly isGone?: boolean;
  /** IP address of the socket's other end, as text. */
  readonly remoteAddress: string;
  /** The listener's scheme, regardless of the request line. */
  readonly scheme: "http" | "https";
  /** The front edge that passed the request on and supplied the other fields. */
  readonly relayedBy?: string | undefined;
  /** Whether that edge is on this machine, and has not looked for the client behind proxies. */
  readonly isRelayedHere?: boolean | undefined;
  /** Counts the connection as open until `ended` settles: it was upgraded to a WebSocket. */
  hold(ended: Promise<unknown>): void;
  /** Stops counting the connection for its address: it serves the clients of a front edge. */
  exempt?(): void;
}

export type ConnectionHandler = (
  request: Request,
  connection: ClientConnection,
) => Response | Promise<Response>;

/** Limits of the connections that clients open; times in milliseconds. */
export interface ConnectionLimits {
  /**
   * Maximum number of connections at the same time; a new one then replaces an idle one, or waits.
   */
  readonly maxConnections: number;
  /** Maximum number of connections from one address at a time; trusted proxies are exempt. */
  readonly maxPerAddress: number;
  /** Time for a TLS handshake. */
  readonly handshakeMs: number;
  /** Time for the headers of the first request. */
  readonly headMs: number;
  /** Maximum time without progress of a body, in either direction. */
  readonly bodyMs: number;
  /** Time from the end of a response to the headers of the next request. */
  readonly keepAliveMs: number;
}

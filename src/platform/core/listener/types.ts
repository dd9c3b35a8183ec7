/** Information about connections for their handlers, and limits on connections. @module */

export interface ClientConnection {
  /** Whether HTTP has ended on the connection. */
  readonly isGone?: boolean;
  /** IP address of the socket's other end, as a string. */
  readonly remoteAddress: string;
  /** The listener's scheme, regardless of the request line. */
  readonly scheme: "http" | "https";
  /** The front edge that forwarded the request and supplied the other fields. */
  readonly relayedBy?: string | undefined;
  /**
   * Whether the front edge is on this machine, and has not looked for the client behind proxies.
   */
  readonly isRelayedHere?: boolean | undefined;
  /**
   * Counts the connection as open until `ended` settles, because it was upgraded to a WebSocket.
   */
  hold(ended: Promise<unknown>): void;
  /**
   * Stops counting the connection toward its address's limit, because it serves a front edge's
   * clients.
   */
  exempt?(): void;
}

export type ConnectionHandler = (
  request: Request,
  connection: ClientConnection,
) => Response | Promise<Response>;

/** Limits on the connections that clients open. Times are in milliseconds. */
export interface ConnectionLimits {
  /**
   * Maximum number of concurrent connections. Beyond it, a new connection replaces an idle one, or
   * waits.
   */
  readonly maxConnections: number;
  /** Maximum number of concurrent connections from one address. Trusted proxies are exempt. */
  readonly maxPerAddress: number;
  /** Time limit for a TLS handshake. */
  readonly handshakeMs: number;
  /** Time limit for the headers of the first request. */
  readonly headMs: number;
  /** Maximum time that a body may go without progress, in either direction. */
  readonly bodyMs: number;
  /** Maximum time from the end of a response to the headers of the next request. */
  readonly keepAliveMs: number;
}

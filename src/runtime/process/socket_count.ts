/**
 * @module Counts open WebSockets, per server and in total. WebSockets are counted separately from
 * requests, so idle WebSockets do not block requests.
 */

/** Releases a slot. Calling this again does nothing. */
type LeaveSocket = () => void;

/** The number of WebSockets that are open or being opened, and the maximum. */
interface SocketFacts {
  readonly open: number;
  readonly max: number;
}

type SocketDecision =
  | { readonly type: "open" }
  | { readonly type: "refuse"; readonly message: string };

/** Decides whether one more socket can be opened. `all` counts the sockets of all servers. */
export function decideSocket(server: SocketFacts, all: SocketFacts | undefined): SocketDecision {
  if (server.open >= server.max) {
    const message = `The server has reached its WebSocket limit: ${server.max}`;
    return { type: "refuse", message };
  }
  if (all !== undefined && all.open >= all.max) {
    const message = `All servers together have reached their WebSocket limit: ${all.max}`;
    return { type: "refuse", message };
  }
  return { type: "open" };
}

/**
 * Counts open sockets. It never rejects a socket, because `decideSocket()` decides whether one is
 * allowed.
 */
export class SocketCount implements SocketFacts {
  #open = 0;

  constructor(readonly max: number) {}

  get open(): number {
    return this.#open;
  }

  /** Counts one more socket. */
  enter(): LeaveSocket {
    this.#open++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#open--;
    };
  }
}

/** Maximum fraction of all descriptors to use for WebSockets. */
const DESCRIPTORS_PART = 1 / 2;

/** Number of descriptors per socket: one for the client's connection, and one for the server's. */
const DESCRIPTORS_EACH = 2;

/** The descriptor limit to assume if the system does not report it. */
const USUAL_DESCRIPTORS = 4096;

const FEWEST_SOCKETS = 16;
const MOST_SOCKETS = 16_384;
const MOST_SOCKETS_PER_SERVER = 1000;

/** Maximum fraction of all sockets that one server can have open. */
const SERVER_PART = 1 / 2;

export interface SocketLimits {
  /** Maximum number of open WebSockets per server. */
  readonly perServer: number;
  /** Maximum number of open WebSockets to all the platform's servers. */
  readonly total: number;
}

/** Returns the limits for a process that can open a given number of descriptors. */
export function defaultSocketLimits(descriptors: number = USUAL_DESCRIPTORS): SocketLimits {
  const bearable = Math.floor(descriptors * DESCRIPTORS_PART / DESCRIPTORS_EACH);
  const total = Math.max(FEWEST_SOCKETS, Math.min(bearable, MOST_SOCKETS));
  const perServer = Math.min(MOST_SOCKETS_PER_SERVER, Math.floor(total * SERVER_PART));
  return { perServer, total };
}

/**
 * The other nodes. A capability handles their requests, and sends its own requests to them.
 *
 * @module
 */
import type * as z from "zod";

/**
 * The path for requests between nodes. The number in the path changes whenever the format of the
 * requests changes.
 */
export const PEER_PATH = "/_svc/nodes/1";

export const isPeerPath = (path: string): boolean => path === PEER_PATH;

/** Another node that has sent a heartbeat recently. */
export interface Peer {
  readonly id: string;
  /** ID of the node's process. */
  readonly instance: string;
  /** The node's URL; missing if the node runs an older version. */
  readonly url?: string | undefined;
}

/** A node that did not respond, and why: a sentence that starts with the node's name. */
export interface SilentNode {
  readonly node: string;
  readonly reason: string;
}

export interface PeerQuestion {
  readonly name: string;
  readonly data: unknown;
  readonly signal: AbortSignal;
}

/**
 * Returns the response part by part. The signal aborts when nothing waits for the response anymore.
 */
export type GiveAnswer<T> = (question: T, signal: AbortSignal) => AsyncIterable<unknown>;

export interface Peers {
  /** Registers the handler for requests with a name. */
  answer<T>(name: string, schema: z.ZodType<T>, give: GiveAnswer<T>): void;
  list(): Promise<readonly Peer[]>;
  /** Nodes that were active within the last day and are now down. */
  lost(): Promise<readonly SilentNode[]>;
  /** @throws {PeerError} if the other node does not respond, or its response is incomplete. */
  ask(peer: Peer, question: PeerQuestion): AsyncIterable<unknown>;
}

/** Returns the peers of a single node: none. */
export function solePeers(): Peers {
  return {
    answer: () => {},
    list: () => Promise.resolve([]),
    lost: () => Promise.resolve([]),
    async *ask() {},
  };
}

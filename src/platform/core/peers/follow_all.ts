/** Follows all other nodes, including those that join later. @module */
import { setTimeout as delay } from "node:timers/promises";
import type * as z from "zod";
import { PeerError } from "./peer_error.ts";
import type { Peer, Peers, SilentNode } from "./peers.ts";

const LOOK_MS = 2000;

/** Follows every other node until the signal aborts, and retries nodes that do not respond. */
export async function followAll<T>(
  peers: Peers,
  { name, data, schema, signal, onPart, onSilent }: {
    readonly name: string;
    readonly data: unknown;
    /** The schema of each part of a response. */
    readonly schema: z.ZodType<T>;
    readonly signal: AbortSignal;
    onPart(part: T): void;
    /**
     * Called when a node stops responding. Called again for the same node only after it has
     * responded in between.
     */
    onSilent(node: SilentNode): void;
  },
): Promise<void> {
  const followed = new Set<string>();
  const silent = new Set<string>();
  const follow = async (peer: Peer) => {
    try {
      for await (const part of peers.ask(peer, { name, data, signal })) {
        silent.delete(peer.instance);
        onPart(schema.parse(part));
      }
    } catch (error) {
      if (signal.aborted || silent.has(peer.instance)) return;
      silent.add(peer.instance);
      const reason = error instanceof PeerError ? error.message : "sent an invalid response";
      onSilent({ node: peer.id, reason });
    } finally {
      followed.delete(peer.instance);
    }
  };
  while (!signal.aborted) {
    // While the store does not respond, no more nodes are followed.
    const others = await peers.list().catch(() => []);
    for (const peer of others) {
      if (followed.has(peer.instance)) continue;
      followed.add(peer.instance);
      void follow(peer);
    }
    await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Sends one request to all other nodes. @module */
import type * as z from "zod";
import { PeerError } from "./peer_error.ts";
import type { Peers, SilentNode } from "./peers.ts";

/** Time limit for a whole response, in milliseconds. */
const PATIENCE_MS = 10_000;

interface Gathered<T> {
  readonly answers: ReadonlyMap<string, readonly T[]>;
  /** Nodes whose responses are missing. */
  readonly silent: readonly SilentNode[];
}

/** Asks all other nodes in parallel, and names the nodes that do not respond or are down. */
export async function askAll<T>(
  peers: Peers,
  { name, data, isAsked = () => true, schema, withLost, closing }: {
    readonly name: string;
    /** Returns the data to send in the request to a node. */
    data(node: string): unknown;
    isAsked?(node: string): boolean;
    /** Whether to also report nodes that are down as missing. */
    readonly withLost: boolean;
    /** The schema of each part of a response. */
    readonly schema: z.ZodType<T>;
    readonly closing: AbortSignal;
  },
): Promise<Gathered<T>> {
  const [others, lost] = await Promise.all([peers.list(), withLost ? peers.lost() : []]);
  const answers = new Map<string, readonly T[]>();
  const silent: SilentNode[] = [...lost];
  const signal = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]);
  await Promise.all(
    others.filter(({ id }) => isAsked(id)).map(async (peer) => {
      const values: T[] = [];
      try {
        for await (const value of peers.ask(peer, { name, data: data(peer.id), signal })) {
          values.push(schema.parse(value));
        }
        answers.set(peer.id, values);
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
        silent.push({ node: peer.id, reason: error.message });
      }
    }),
  );
  silent.sort((a, b) => a.node < b.node ? -1 : 1);
  return { answers, silent };
}

/** Lists the nodes whose responses are missing, or returns an empty object if there are none. */
export function missingNodes(
  silent: readonly SilentNode[],
): { readonly missingNodes?: SilentNode[] } {
  return silent.length === 0 ? {} : { missingNodes: [...silent] };
}

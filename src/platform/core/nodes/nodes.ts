/** A platform's nodes, as its capabilities see them: this node's identity and its roles. @module */
import { Lease } from "../../../store/mod.ts";
import type { KnownNodeRecord, NodeView, Role } from "./node_record.ts";

export interface Nodes {
  readonly id: string;
  /** ID of this process. Its claims become free when its pulse expires. */
  readonly instance: string;
  /** Whether there may be other nodes. */
  readonly isShared: boolean;
  leads(role: Role): boolean;
  /**
   * Runs `work` if this node performs the role for all nodes. Returns `undefined` if another node
   * leads. Commits that depend on the lease are refused once the lease is lost.
   *
   * @throws {LeaseLostError} if the lease was lost in the meantime.
   */
  during<T>(role: Role, work: (lease: Lease) => Promise<T>): Promise<T | undefined>;
  /**
   * Calls back whenever this node becomes the leader, or immediately if there are no other nodes.
   */
  onGained(role: Role, begin: () => void): void;
  /** Calls back whenever a process of another node has exited without releasing its claims. */
  onDeath(look: () => void): void;
  /** Returns whether a process still holds its claims. */
  isAlive(instance: string): Promise<boolean>;
  /** Returns the number of nodes that this node saw when it last checked. */
  count(): number;
  list(): Promise<readonly NodeView[]>;
  /** Nodes that sent a heartbeat within the last day but no longer do. */
  lost(): Promise<readonly KnownNodeRecord[]>;
}

/** Returns the nodes of a platform with a single node, which leads everything at no cost. */
export function soleNode(
  { instance, id, self }: {
    readonly id: string;
    readonly instance: string;
    self(): NodeView;
  },
): Nodes {
  return {
    id,
    instance,
    isShared: false,
    leads: () => true,
    during: (role, work) => work(Lease.ofSoleNode(role)),
    onGained: (_, begin) => begin(),
    onDeath: () => {},
    isAlive: (other) => Promise.resolve(other === instance),
    count: () => 1,
    list: () => Promise.resolve([self()]),
    lost: () => Promise.resolve([]),
  };
}

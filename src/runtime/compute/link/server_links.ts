/**
 * The platform's end of the links by which edge threads reach servers themselves.
 *
 * @module
 */
import type { OutboundError } from "../../http1/mod.ts";
import type { ComputeResult } from "../types.ts";
import { ServerSlot, type SharedSlots } from "../../process/slots/mod.ts";

/** What a thread needs to send requests to a server. Data only. */
export interface ServerLease {
  readonly deploymentId: string;
  readonly layer: string;
  readonly slot: number;
  /** Names this process of the server; no other has the same. */
  readonly generation: number;
  readonly socketPath: string;
  /** Whether the server greets each connection that it accepts. */
  readonly greets: boolean;
  /** Longest time to the head of a response, in milliseconds. */
  readonly timeoutMs: number;
  /** Requests that may run at the same time, over all threads. */
  readonly maxConcurrent: number;
}

/** A request that failed in a thread. Data only. */
export interface LinkedFailure {
  readonly slot: number;
  readonly generation: number;
  /** What kind of error the connection met; missing where it is another. */
  readonly code: OutboundError["code"] | undefined;
  readonly message: string;
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly requestId: string;
  };
}

/** What a failure means; `again` where the platform itself has ended the server meanwhile. */
export type Explained = Extract<ComputeResult, { readonly type: "failed" }> | "again";

/** A server, as far as its links need it. */
export interface LinkedSupervisor {
  /** A thread has no request under way any more, or gave a place back that others wait for. */
  left(): void;
  explain(failure: LinkedFailure): Promise<Explained>;
  /** A thread has ended. */
  memberEnded?(member: number): void;
}

interface Attached {
  readonly slot: ServerSlot;
  readonly server: LinkedSupervisor;
  lease?: ServerLease | undefined;
  isDetached?: boolean;
}

export class ServerLinks {
  /** Called with each server that threads may use from now on. */
  onOpened: (lease: ServerLease) => void = () => {};
  readonly #attached = new Map<number, Attached>();
  readonly #free: number[];
  #generation = 0;

  constructor(private readonly shared: SharedSlots) {
    this.#free = Array.from({ length: shared.count }, (_, index) => shared.count - 1 - index);
  }

  /** Servers that threads may use now. */
  leases(): ServerLease[] {
    return [...this.#attached.values()].flatMap(({ lease }) => lease ?? []);
  }

  /** Gives a server a slot; `undefined` where none is left. */
  attach(server: LinkedSupervisor): ServerSlot | undefined {
    const index = this.#free.pop();
    if (index === undefined) return undefined;
    const slot = new ServerSlot(this.shared, index, 0);
    slot.reset();
    this.#attached.set(index, { slot, server });
    return slot;
  }

  /** Names a process; no other gets the same. */
  newGeneration(): number {
    return ++this.#generation;
  }

  /** Lets threads use a process; returns the generation that names it. */
  open(
    { index }: ServerSlot,
    about: Omit<ServerLease, "slot" | "generation">,
  ): number {
    const attached = this.#attached.get(index)!;
    const generation = this.newGeneration();
    const lease = { ...about, slot: index, generation };
    attached.lease = lease;
    attached.slot.open(generation);
    this.onOpened(lease);
    return generation;
  }

  /** From now on no thread begins a request. */
  close({ index }: ServerSlot): void {
    const attached = this.#attached.get(index);
    if (attached === undefined) return;
    attached.slot.open(0);
    attached.lease = undefined;
  }

  /** Takes the slot back, once no thread has a request under way. */
  detach(slot: ServerSlot): void {
    this.close(slot);
    const attached = this.#attached.get(slot.index);
    if (attached === undefined) return;
    attached.isDetached = true;
    this.#reclaim(attached);
  }

  /** A thread reports that it gave a place back. */
  left(index: number): void {
    const attached = this.#attached.get(index);
    attached?.server.left();
    if (attached !== undefined) this.#reclaim(attached);
  }

  /** What a failure means that a thread met. */
  explain(failure: LinkedFailure): Promise<Explained> {
    return this.#attached.get(failure.slot)?.server.explain(failure) ?? Promise.resolve("again");
  }

  /** A thread has ended: its requests are over. */
  memberEnded(member: number): void {
    for (const attached of [...this.#attached.values()]) {
      attached.slot.clear(member);
      attached.server.memberEnded?.(member);
      attached.server.left();
      this.#reclaim(attached);
    }
  }

  #reclaim({ slot, isDetached }: Attached): void {
    if (!isDetached || slot.others > 0) return;
    this.#attached.delete(slot.index);
    this.#free.push(slot.index);
  }
}

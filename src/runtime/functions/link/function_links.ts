/**
 * The platform's end of the links by which edge threads call functions themselves: each
 * thread has workers of its own in the process that the platform supervises.
 *
 * @module
 */
import type { OutboundFetch, OutboundResponse } from "../../outbound/mod.ts";
import type { Frame, OutgoingFrame } from "../../process/frames/mod.ts";
import type { ServerSlot } from "../../process/slots/mod.ts";
import type { FunctionLimits } from "../limits.ts";
import type { End, FunctionLogEntry, FunctionSource } from "../types.ts";

/** What a thread needs to have workers in a process of functions. Data only. */
export interface FunctionLease {
  readonly deploymentId: string;
  readonly slot: number;
  /** Names this process; no other has the same. */
  readonly generation: number;
  readonly pid: number;
  /** Private folder of the process: the thread listens there. */
  readonly folder: string;
  /** The functions that can be called. */
  readonly functions: readonly FunctionSource[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: FunctionLimits;
}

/** Who performs a request of a function: the network, or one of the project's stores. */
export type FetchTarget = "outbound" | "kv" | "database";

/** The functions of a deployment, as their links need them. */
export interface LendingHost {
  /** The process that runs, started where there is none; `undefined` where threads may have none. */
  lease(): Promise<FunctionLease | undefined>;
  /** Sends a frame of a thread to the process's own thread. */
  send(generation: number, frame: OutgoingFrame): void;
  /** A thread has no call under way any more, or gave a place back that others wait for. */
  left(): void;
  /** A thread has ended: its workers are for nobody. */
  memberEnded(member: number): void;
  log(entry: Omit<FunctionLogEntry, "time">): void;
  fetch(to: FetchTarget, request: Parameters<OutboundFetch>[0]): Promise<OutboundResponse>;
}

/** What the functions of one deployment share with threads. */
export interface Lender {
  readonly slot: ServerSlot;
  /** Lets threads use a process from now on. */
  open(generation: number): void;
  /** From now on no thread begins a call. */
  close(): void;
  newGeneration(): number;
  /** Passes on what the process says to a thread. */
  told(member: number, generation: number, frame: Frame): void;
  /** Reports that a process has ended. */
  ended(generation: number, end: End): void;
  /** Takes no part any more. */
  detach(): void;
}

/** Gives slots to those who let threads use their processes. */
export interface SlotGiver {
  attach(user: {
    left(): void;
    explain(): Promise<"again">;
    memberEnded(member: number): void;
  }): ServerSlot | undefined;
  detach(slot: ServerSlot): void;
  newGeneration(): number;
}

export class FunctionLinks {
  /** Called with what a process says to a thread. */
  onTold: (
    member: number,
    deploymentId: string,
    generation: number,
    frame: Frame,
  ) => void = () => {};
  /** Called where a process has ended. */
  onEnded: (generation: number, end: End) => void = () => {};
  readonly #hosts = new Map<string, LendingHost>();

  constructor(private readonly slots: SlotGiver) {}

  /** Makes the functions of a deployment known to threads; `undefined` where no slot is left. */
  attach(deploymentId: string, host: LendingHost): Lender | undefined {
    const { slots } = this;
    const slot = slots.attach({
      left: () => host.left(),
      explain: () => Promise.resolve("again"),
      memberEnded: (member) => host.memberEnded(member),
    });
    if (slot === undefined) return undefined;
    this.#hosts.set(deploymentId, host);
    return {
      slot,
      open: (generation) => slot.open(generation),
      close: () => slot.open(0),
      newGeneration: () => slots.newGeneration(),
      told: (member, generation, frame) => this.onTold(member, deploymentId, generation, frame),
      ended: (generation, end) => this.onEnded(generation, end),
      detach: () => {
        if (this.#hosts.get(deploymentId) === host) this.#hosts.delete(deploymentId);
        slots.detach(slot);
      },
    };
  }

  /** The functions of a deployment, while they are there. */
  find(deploymentId: string): LendingHost | undefined {
    return this.#hosts.get(deploymentId);
  }
}

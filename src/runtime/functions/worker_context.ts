/** @module State that a worker shares with its calls and fetches. */
import type { Deadlines } from "../http1/deadlines.ts";
import type { BodyReceiver, BodySender } from "./body_link.ts";
import type { FunctionLimits } from "./limits.ts";
import type {
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionSource,
} from "./types.ts";
import type { WireError } from "./wire.ts";

/** Sends a frame to this worker. */
type SendToWorker = (type: number, id: number, payload?: Uint8Array) => void;

/** Services that handle the functions' requests. */
export type FunctionServices = Pick<
  FunctionHostOptions,
  "env" | "outbound" | "kv" | "database"
>;

export interface FunctionWorkerOptions {
  readonly definition: FunctionSource;
  readonly host: FunctionServices;
  readonly limits: FunctionLimits;
  readonly send: SendToWorker;
  readonly log: (entry: Omit<FunctionLogEntry, "time">) => void;
  /** Called if the worker must be replaced because it does not react or violates the protocol. */
  readonly stuck: (reason: FailureReason, message: string) => void;
  /**
   * Returns the CPU time of the worker's thread, in milliseconds, if the system reports it.
   */
  readonly spentMs: () => number | undefined;
}

/** A worker, as its calls and fetches see it. */
export interface WorkerContext {
  readonly name: string;
  readonly options: FunctionWorkerOptions;
  /** Time limits of the calls. */
  readonly deadlines: Deadlines;
  /** Bodies being sent to the worker, by the ID of their call or fetch. */
  readonly senders: Map<number, BodySender>;
  /** Bodies being received from the worker, by the ID of their call or fetch. */
  readonly receivers: Map<number, BodyReceiver>;
  /** Logs an error, with positions in the author's source. */
  logError(error: WireError, requestId: string | undefined): void;
}

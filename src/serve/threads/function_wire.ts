/**
 * The messages about functions that a thread calls itself. They hold data only.
 *
 * @module
 */
import type { FailureReason, FunctionLogEntry } from "../../runtime/mod.ts";

/** A frame between the thread and the own thread of a process of functions, either way. */
export interface FunctionFrameMessage {
  readonly type: "function_frame";
  readonly deploymentId: string;
  /** Names the process. */
  readonly generation: number;
  readonly frame: {
    readonly type: number;
    readonly worker: number;
    readonly id: number;
    readonly payload?: Uint8Array<ArrayBuffer>;
  };
}

/** A line that a function has logged. */
export interface FunctionLine {
  readonly type: "function_line";
  readonly deploymentId: string;
  readonly entry: Omit<FunctionLogEntry, "time">;
}

/** A process of functions has ended. */
export interface FunctionEnd {
  readonly type: "functions_ended";
  readonly generation: number;
  readonly reason: FailureReason;
  readonly message: string;
}

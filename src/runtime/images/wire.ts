/**
 * Messages between the platform and a process of images. A job is its head and then its source; a
 * result is its head and then its bytes.
 *
 * @module
 */
import type { Conversion } from "./types.ts";

/** Types of frames. Numbers below 20 go to the process, the others come from it. */
export const ImageFrame = {
  /** Convert the source that follows; payload: the head as JSON. */
  job: 1,
  source: 2,
  /** The engine is loaded; payload: its version and what the kernel closes as JSON. */
  ready: 20,
  /** The job is done; payload: the head as JSON. The bytes follow. */
  done: 21,
  bytes: 22,
  /** The job failed; payload: reason and message as JSON. */
  failed: 23,
} as const;

export type JobHead = Conversion;

export interface ReadyHead {
  readonly version: string;
  /** Restrictions of the kernel on the process. */
  readonly files: boolean;
  readonly network: boolean;
}

export interface DoneHead {
  readonly width: number;
  readonly height: number;
}

export interface FailedHead {
  readonly reason: "broken" | "too_large";
  readonly message: string;
}

/** @module Frames between the platform and an image process: a head, then bytes. */
import type { Conversion } from "./types.ts";

/**
 * Types of frames. Numbers below 20 are for frames to the process, and higher numbers for frames
 * from it.
 */
export const ImageFrame = {
  /** Convert the source that follows; payload: the head as JSON. */
  job: 1,
  source: 2,
  /** The engine is loaded; payload: its version and the kernel's restrictions, as JSON. */
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
  /** Whether the kernel restricts the process's access to files, and to the network. */
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

/** @module Messages between the server's thread and the process's first thread. */
import type { Revalidation } from "../engine/revalidation.ts";
import type { ProcessLog, Revalidated, ServerStart } from "../wire.ts";

/** Messages to the server's thread. */
export type ToWorker =
  /**
   * `socket` is the path where the server listens, regardless of the requested port, and `tmp` is
   * the folder for temporary files.
   */
  | {
    readonly type: "start";
    readonly start: ServerStart;
    readonly socket: string;
    readonly tmp: string;
  }
  /** The response to `prepared`: the server's code may be loaded. */
  | { readonly type: "load" }
  | { readonly type: "ping"; readonly id: number }
  /** The server should stop itself; `ended` is the response. */
  | { readonly type: "terminate" }
  /** The response to `revalidate` with the same ID. */
  | { readonly type: "revalidated"; readonly id: number; readonly answer: Revalidated };

/** Messages from the server's thread. */
export type FromWorker =
  | ({ readonly type: "log" } & ProcessLog)
  /** The thread is ready for the server's code. */
  | { readonly type: "prepared" }
  | { readonly type: "listening" }
  | { readonly type: "pong"; readonly id: number }
  | { readonly type: "revalidate"; readonly id: number; readonly what: Revalidation }
  /** An error that has not been caught yet; the server may survive it. */
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "ended"; readonly message: string };

export type Send = (message: FromWorker) => void;

/**
 * What the server's thread and the thread beside it say to each other.
 *
 * @module
 */
import type { ProcessLog, ServerStart } from "../wire.ts";

/** Goes to the server's thread. */
export type ToWorker =
  /** `socket` is the path at which it listens, whatever port the server asks for. */
  | { readonly type: "start"; readonly start: ServerStart; readonly socket: string }
  /** Answers `prepared`: the server's code may be loaded. */
  | { readonly type: "load" }
  | { readonly type: "ping"; readonly id: number }
  /** The server is to end itself; `ended` answers. */
  | { readonly type: "terminate" };

/** Comes from the server's thread. */
export type FromWorker =
  | ({ readonly type: "log" } & ProcessLog)
  /** All is ready for the server's code. */
  | { readonly type: "prepared" }
  | { readonly type: "listening" }
  | { readonly type: "pong"; readonly id: number }
  /** An error that nobody has caught so far; the server may yet live on. */
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "ended"; readonly message: string };

export type Send = (message: FromWorker) => void;

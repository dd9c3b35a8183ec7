/** @module Inputs and results of functions. */
import type { HeaderList } from "../http1/head.ts";
import type { LazySignal } from "../http1/exchange_watch.ts";
import type { OutboundFetch } from "../outbound/types.ts";
import type { LogLevel } from "../process/frames/log_lines.ts";
import type { ProcessCommand } from "../process/self_command.ts";
import type { ProcessPlaces } from "../process/process_places.ts";
import type { FunctionLimits } from "./limits.ts";
import type { CallContext, StepMode } from "./wire.ts";

export interface FunctionRequest {
  readonly method: string;
  /** An absolute URL. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: ReadableStream<Uint8Array> | null;
}

export interface FunctionResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: HeaderList;
  readonly body: ReadableStream<Uint8Array> | null;
}

export interface Invocation {
  /** Name of the function. */
  readonly function: string;
  readonly mode: StepMode;
  /** Name from the step's `as` property. */
  readonly as?: string;
  /** The body is read only if the function reads it. Observers receive no body. */
  readonly request: FunctionRequest;
  /**
   * The response so far. It is required in response steps, where the function can read its body.
   */
  readonly response?: FunctionResponse;
  readonly context: CallContext;
  /**
   * The `Via` field of all requests that the call makes (RFC 9110, 7.6.3), which reveals request
   * loops. The function cannot change this field.
   */
  readonly via?: string;
  /** Aborts the call, for instance when the client has disconnected. */
  readonly signal?: LazySignal | undefined;
}

export type FailureReason =
  | "timeout"
  | "threw"
  | "memory"
  | "crashed"
  | "overloaded"
  | "invalid_result"
  /** The platform has ended the call. */
  | "aborted"
  /** The client has disconnected, or the body of its request was interrupted. */
  | "client_gone"
  | "not_found";

/** Why a worker or process exits. */
export interface End {
  readonly reason: FailureReason;
  readonly message: string;
}

export type InvocationResult =
  | { readonly type: "response"; readonly response: FunctionResponse }
  | { readonly type: "request"; readonly request: FunctionRequest }
  | { readonly type: "next" }
  | { readonly type: "failed"; readonly reason: FailureReason; readonly message: string };

export interface FunctionLogEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  readonly function: string;
  /**
   * ID of the call's request. It is missing if the call is unknown, for instance while the function
   * is being loaded.
   */
  readonly requestId?: string;
  readonly message: string;
  /** The stack, with the files, lines and columns of the author's source. */
  readonly stack?: string;
}

export interface FunctionSource {
  readonly name: string;
  /** A module created by `sealFunction`. */
  readonly source: string;
}

export interface FunctionHostOptions {
  readonly deploymentId: string;
  readonly functions: readonly FunctionSource[];
  /** The variables that the functions see as `context.env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: Partial<FunctionLimits>;
  /** Sends the functions' `fetch` requests. It must restrict the targets of the requests. */
  readonly outbound: OutboundFetch;
  /**
   * Sends requests to the project's key-value store (`context.kv`). If it is omitted, there is no
   * store.
   */
  readonly kv?: OutboundFetch | undefined;
  /**
   * Runs statements on the project's database (`context.database`). If it is omitted, there is no
   * database.
   */
  readonly database?: OutboundFetch | undefined;
  readonly log: (entry: FunctionLogEntry) => void;
  /**
   * Returns the command that starts the program as a function process that connects to a socket.
   */
  readonly spawn: (socketPath: string) => ProcessCommand;
  /** Prefix of the process folders in the system's temporary folder. */
  readonly folderPrefix?: (() => Promise<string>) | undefined;
  /** Process slots shared by all deployments; by default, the number of processes is unlimited. */
  readonly places?: ProcessPlaces;
  /** Wall clock for log entries, in milliseconds; by default, the system's clock. */
  readonly now?: () => number;
}

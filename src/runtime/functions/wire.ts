/**
 * @module Frames between the platform and a function process: their types and JSON heads. These are
 * the plain types; the platform validates data from functions with the schemas in `parse_wire.ts`.
 *
 * On the process's own connection, a frame's worker number names the worker. Each worker also has
 * its own connection, on which it identifies itself once. On that connection, the worker number of
 * frames is ignored, so no function can impersonate another function.
 */
import type { HeaderList } from "../http1/head.ts";
import type { LogLevel } from "../process/frames/log_lines.ts";
import type { BegunCell } from "./begun_calls.ts";

/**
 * Types of frames. Numbers below 20 are for frames to the function, and higher numbers for frames
 * from it.
 */
export const FunctionFrame = {
  /** To the process: start a worker; payload: its connection settings, as JSON. */
  open: 7,
  /** To the process: stop a worker immediately. */
  stop: 2,
  /** To the process: withdraw the worker's calls up to this ID if they have not started. */
  takeBack: 8,
  /** Load the function; payload: the worker's settings and source as JSON. */
  start: 1,
  /** Call the function; payload: the call's head as JSON. */
  invoke: 3,
  /** The call's result is no longer wanted: abort it and respond with `settled`. */
  cancel: 4,
  /** The platform's response to a `fetch`; payload: response head as JSON. */
  fetched: 5,
  /** A `fetch` failed; payload: message. */
  fetchFailed: 6,
  /** The worker has loaded its function. */
  ready: 20,
  /** The worker cannot load its function; payload: error as JSON. */
  broken: 21,
  /** The call's result as JSON. */
  result: 22,
  /** All work of the call has finished, including `waitUntil`. */
  settled: 23,
  /** One line for the log; payload: entry as JSON. */
  log: 24,
  /** Send a `fetch` request; payload: request as JSON. */
  fetch: 25,
  /** The `fetch` is no longer needed. */
  abortFetch: 26,
  /** `result` and `settled` in one frame. Most calls leave nothing running. */
  resultSettled: 28,
  /**
   * From the process: the worker has exited; payload: the reason, unless the platform requested the
   * end.
   */
  exited: 27,
  /** From the process: the worker was the `id`-th to start. */
  opened: 30,
  /** From the process: the worker's calls after this ID have not started, and never will. */
  takenBack: 31,
  /** First frame on a worker's connection: the worker's number, with its key as payload. */
  hello: 29,
  /** A part of a body, in either direction. */
  chunk: 40,
  /** The body is complete. */
  end: 41,
  /** The body was interrupted; payload: message. */
  fail: 42,
  /** The receiver accepts more bytes; payload: the number of these bytes (u32). */
  credit: 43,
  /** The receiver wants no more of the body. */
  drop: 44,
} as const;

/** Maximum payload that a function may send in one frame, in bytes. */
export const MAX_UPWARD_BYTES = 512 * 1024;

/** The modes of a pipeline's steps (docs/rules.md), and the final `handle`. */
export type StepMode = "request" | "response" | "observe" | "handle";

/** Information about the client and the deployment, for a step. */
export interface CallContext {
  readonly requestId: string;
  readonly ip: string;
  readonly country?: string;
  readonly asn?: number;
  readonly device?: string;
  readonly deployment: { readonly id: string; readonly url?: string };
}

/** The socket and key for a new worker. */
export interface WorkerOpening {
  readonly key: string;
  readonly socketPath: string;
}

/** How a worker connects to its edge and identifies itself. */
export interface WorkerIdentity {
  readonly socketPath: string;
  readonly number: number;
  readonly key: string;
  /** The calls that the worker has started. */
  readonly begun: BegunCell;
}

/** Settings and source of one worker. */
export interface WorkerStart {
  readonly name: string;
  readonly source: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
}

interface WireResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: HeaderList;
}

/**
 * A result's body: none, a body sent in the next frames, or the unchanged body that was passed to
 * the step.
 */
export type WireBody = "none" | "stream" | "kept";

export interface InvokeHead {
  readonly mode: StepMode;
  readonly as?: string;
  readonly request: WireRequest & { readonly body: boolean };
  readonly response?: WireResponse & { readonly body: boolean };
  readonly context: CallContext;
}

/** An error as a function threw it. Its stack has positions in the bundle. */
export interface WireError {
  readonly message: string;
  readonly stack?: string;
}

export type ResultHead =
  | { readonly type: "next" }
  | ({ readonly type: "response"; readonly body: WireBody } & WireResponse)
  | ({ readonly type: "request"; readonly body: WireBody } & WireRequest)
  | {
    readonly type: "failed";
    readonly reason: "threw" | "invalid_result";
    readonly error: WireError;
  };

export interface LogHead {
  readonly level: LogLevel;
  readonly message: string;
  readonly stack?: string;
  /** The call that logged; missing if it is unknown. */
  readonly call?: number;
}

export interface FetchHead extends WireRequest {
  /**
   * The store to send the request to, regardless of the URL's host: `kv` is the HTTP API of the
   * project's key-value store (docs/kv.md), and `database` is the project's database.
   */
  readonly to?: "kv" | "database" | undefined;
  readonly call: number;
  readonly redirect: "follow" | "manual" | "error";
  readonly body: boolean;
}

export interface FetchedHead extends WireResponse {
  readonly url: string;
  readonly redirected: boolean;
  readonly body: boolean;
}

/** Maximum length of the headers of a request or response, in characters, as JSON. */
export const MAX_HEAD_CHARACTERS = 128 * 1024;

/** Maximum length of a stack, in characters. */
export const MAX_STACK_CHARACTERS = 4096;

/**
 * The JSON heads that travel in frames. These are the plain shapes; the
 * platform checks what comes from a function with the schemas of
 * `parse_wire.ts`.
 *
 * @module
 */

export type HeaderPairs = readonly (readonly [string, string])[];

/** Step modes of the pipeline (spec, pipeline step), and the terminal handle. */
export type StepMode = "request" | "response" | "observe" | "handle";

/** What a step is told about the client and the deployment. */
export interface CallContext {
  readonly requestId: string;
  readonly ip: string;
  readonly country?: string;
  readonly asn?: number;
  readonly device?: string;
  readonly deployment: { readonly id: string; readonly url?: string };
}

/** How a worker finds the platform, and is known there. */
export interface WorkerIntroduction {
  readonly socketPath: string;
  readonly number: number;
  readonly key: string;
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
  readonly headers: HeaderPairs;
}

export interface WireResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: HeaderPairs;
}

/** Where a result's body is: there is none, it follows in chunks, or the step left it as it was. */
export type WireBody = "none" | "stream" | "kept";

export interface InvokeHead {
  readonly mode: StepMode;
  readonly as?: string;
  readonly request: WireRequest & { readonly body: boolean };
  readonly response?: WireResponse & { readonly body: boolean };
  readonly context: CallContext;
}

/** An error as a function threw it; the stack still speaks of the bundle's lines. */
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

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogHead {
  readonly level: LogLevel;
  readonly message: string;
  readonly stack?: string;
  /** The call that logged; missing where it is unknown. */
  readonly call?: number;
}

export interface FetchHead extends WireRequest {
  readonly call: number;
  readonly redirect: "follow" | "manual" | "error";
  readonly body: boolean;
}

export interface FetchedHead extends WireResponse {
  readonly url: string;
  readonly redirected: boolean;
  readonly body: boolean;
}

/** Longest head of a request or response, in characters of JSON. */
export const MAX_HEAD_CHARACTERS = 128 * 1024;

/** Longest message of a log entry, in characters. */
export const MAX_LOG_CHARACTERS = 4096;

/** Longest stack, in characters. */
export const MAX_STACK_CHARACTERS = 4096;

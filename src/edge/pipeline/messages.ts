/**
 * Requests and answers as they go through a pipeline, and what runs a step.
 *
 * @module
 */
import type { ComputeSocket } from "../../runtime/mod.ts";
import type { HeaderList } from "../header_list.ts";
import type { PlannedStep } from "./plan.ts";

export type BodyStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A request on its way to the origin; steps may replace it. */
export interface PipelineRequest {
  readonly method: string;
  /** Absolute, on the host that the client asked. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: BodyStream | null;
}

/** An answer on its way to the client; steps may replace it. */
export interface PipelineResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array<ArrayBuffer> | BodyStream | null;
  /** The same body as a string of ASCII, where cache or site have it so. */
  readonly text?: string | undefined;
  /** Why this stands in for an answer; for the site's log. */
  readonly problem?: string;
  /** The open socket of a server: such an answer goes to the client as it is. */
  readonly upgrade?: ComputeSocket;
}

export type StepFailure =
  | "timeout"
  | "threw"
  | "memory"
  | "crashed"
  | "overloaded"
  | "invalid_result"
  | "missing"
  | "aborted";

export type StepResult =
  | { readonly type: "next" }
  | { readonly type: "request"; readonly request: PipelineRequest }
  | { readonly type: "response"; readonly response: PipelineResponse }
  | { readonly type: "failed"; readonly reason: StepFailure };

/** Runs functions; a failure is a result, never a rejection. */
export interface StepRunner {
  onRequest(step: PlannedStep, request: PipelineRequest): Promise<StepResult>;
  /** The runner may read the response's body; where it has to go on unread, it is buffered before. */
  onResponse(
    step: PlannedStep,
    request: PipelineRequest,
    response: PipelineResponse,
  ): Promise<StepResult>;
  /** Must not delay the answer: called and not waited for. */
  observe(step: PlannedStep, request: PipelineRequest, response: PipelineResponse): void;
  /** Runs the function that answers. */
  handle(name: string, request: PipelineRequest): Promise<StepResult>;
}

/** @module The interface to the runner of pipeline steps, and their results. */
import type { PipelineRequest, PipelineResponse } from "../messages/messages.ts";
import type { PlannedStep } from "./plan.ts";

export type StepFailure =
  | "timeout"
  | "threw"
  | "memory"
  | "crashed"
  | "overloaded"
  | "invalid_result"
  | "missing"
  | "aborted"
  | "client_gone";

export type StepResult =
  | { readonly type: "next" }
  | { readonly type: "request"; readonly request: PipelineRequest }
  | { readonly type: "response"; readonly response: PipelineResponse }
  | { readonly type: "failed"; readonly reason: StepFailure };

/** Runs functions. A failure is a result, never a rejection. */
export interface StepRunner {
  onRequest(step: PlannedStep, request: PipelineRequest): Promise<StepResult>;
  /** Runs a response step. The function can read the response's body. */
  onResponse(
    step: PlannedStep,
    request: PipelineRequest,
    response: PipelineResponse,
  ): Promise<StepResult>;
  /** Runs an observer. The call is not awaited, so it does not delay the response. */
  observe(step: PlannedStep, request: PipelineRequest, response: PipelineResponse): void;
  /** Runs the function that is the pipeline's handle. */
  handle(name: string, request: PipelineRequest): Promise<StepResult>;
}

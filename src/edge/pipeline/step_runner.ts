/**
 * What runs a step of a pipeline, and what comes of it.
 *
 * @module
 */
import type { PipelineRequest, PipelineResponse } from "../messages/mod.ts";
import type { PlannedStep } from "./plan.ts";

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

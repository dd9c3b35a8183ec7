/**
 * Runs a pipeline: request steps, cache, handle, response steps, observers.
 * Decides what each result means; everything that runs or fetches is passed
 * in.
 *
 * @module
 */
import type { PipelineRequest, PipelineResponse, StepFailure, StepRunner } from "./messages.ts";
import { ORIGIN_HANDLE } from "../../rules/mod.ts";
import type { PipelinePlan, PlannedStep } from "./plan.ts";

/** A step that must not fail has failed: the request ends here. */
export class PipelineFailedError extends Error {
  override readonly name = "PipelineFailedError";

  constructor(readonly step: string, readonly reason: StepFailure) {
    super(`Function "${step}" failed: ${reason}`);
  }

  /** 504 for one that took too long, else 503 (RFC 9110, 15.6). */
  get status(): number {
    return this.reason === "timeout" ? 504 : 503;
  }
}

export interface PipelineParts {
  readonly runner: StepRunner;
  /** Answers from the origin: terminal routing or the proxy. */
  origin(request: PipelineRequest): Promise<PipelineResponse>;
  /** Answers from the cache, else with what `produce` makes of the request. */
  cached(
    request: PipelineRequest,
    produce: (request: PipelineRequest) => Promise<PipelineResponse>,
  ): Promise<PipelineResponse>;
  /** What the client gets where the pipeline or the origin failed; throws what is no such failure. */
  failed(error: unknown): PipelineResponse;
}

type Outcome =
  | { readonly type: "request"; readonly request: PipelineRequest }
  | { readonly type: "response"; readonly response: PipelineResponse };

/** A body that a failed step has begun to read is lost: nobody can go on with it. */
function isSpent(body: PipelineResponse["body"]): boolean {
  return body instanceof ReadableStream && body.locked;
}

/** @throws {PipelineFailedError} where the request can not go on without the step. */
function passFailure(
  step: PlannedStep,
  reason: StepFailure,
  message: { readonly body: PipelineResponse["body"] },
): void {
  if (step.failure === "closed" || isSpent(message.body)) {
    throw new PipelineFailedError(step.use, reason);
  }
}

async function runRequestSteps(
  runner: StepRunner,
  steps: readonly PlannedStep[],
  first: PipelineRequest,
): Promise<Outcome> {
  let request = first;
  for (const step of steps) {
    const result = await runner.onRequest(step, request);
    if (result.type === "response") return result;
    if (result.type === "request") request = result.request;
    else if (result.type === "failed") passFailure(step, result.reason, request);
  }
  return { type: "request", request };
}

async function runResponseSteps(
  runner: StepRunner,
  steps: readonly PlannedStep[],
  messages: { readonly request: PipelineRequest; readonly response: PipelineResponse },
): Promise<PipelineResponse> {
  let { response } = messages;
  if (response.upgrade !== undefined) return response;
  for (const step of steps) {
    const result = await runner.onResponse(step, messages.request, response);
    if (result.type === "response") response = result.response;
    else if (result.type === "failed") passFailure(step, result.reason, response);
  }
  return response;
}

async function runHandle(
  plan: PipelinePlan,
  parts: PipelineParts,
  request: PipelineRequest,
): Promise<PipelineResponse> {
  if (plan.handle === ORIGIN_HANDLE) return await parts.origin(request);
  const result = await parts.runner.handle(plan.handle, request);
  if (result.type === "response") return result.response;
  const reason = result.type === "failed" ? result.reason : "invalid_result";
  throw new PipelineFailedError(plan.handle, reason);
}

/**
 * Runs a pipeline to its answer. A request step that answers ends it: the
 * steps after it do not run. The observers see what the client gets, be it the
 * word that something failed. An upgrade is no response that steps could see.
 *
 * @throws what `failed` throws.
 */
export async function runPipeline(
  plan: PipelinePlan,
  first: PipelineRequest,
  parts: PipelineParts,
): Promise<PipelineResponse> {
  const { runner } = parts;
  let seen = first;
  const answer = async (): Promise<PipelineResponse> => {
    const outer = await runRequestSteps(runner, plan.outerRequest, first);
    if (outer.type === "response") return outer.response;
    seen = outer.request;
    const response = await parts.cached(outer.request, async (request) => {
      const inner = await runRequestSteps(runner, plan.innerRequest, request);
      if (inner.type === "response") return inner.response;
      const made = await runHandle(plan, parts, inner.request);
      return await runResponseSteps(runner, plan.innerResponse, {
        request: inner.request,
        response: made,
      });
    });
    return await runResponseSteps(runner, plan.outerResponse, { request: seen, response });
  };
  const response = await answer().catch((error) => parts.failed(error));
  if (response.upgrade !== undefined) return response;
  for (const step of plan.observers) runner.observe(step, seen, response);
  return response;
}

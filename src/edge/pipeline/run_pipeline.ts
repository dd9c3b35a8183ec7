import { CLIENT_GONE, type PipelineRequest, type PipelineResponse } from "../messages/messages.ts";
import type { PipelinePlan, PlannedStep } from "./plan.ts";
import type { StepFailure, StepRunner } from "./step_runner.ts";
import { ORIGIN_HANDLE } from "../../rules/mod.ts";

/** Thrown when a required step failed and the request cannot continue. */
export class PipelineFailedError extends Error {
  override readonly name = "PipelineFailedError";

  constructor(readonly step: string, readonly reason: StepFailure) {
    super(`Function "${step}" failed: ${reason}`);
  }

  /** 504 for a timeout (RFC 9110, 15.6), 499 if the client disconnected, otherwise 503. */
  get status(): number {
    if (this.reason === "client_gone") return CLIENT_GONE;
    return this.reason === "timeout" ? 504 : 503;
  }
}

export interface PipelineParts {
  /** Runs the functions. The property is read only if a function has to run. */
  readonly runner: StepRunner;
  /** Fetches from the origin: the deployment's routes, or another site. */
  origin(request: PipelineRequest): Promise<PipelineResponse>;
  /** Serves from the cache, or uses the response of `produce`. */
  cached(
    request: PipelineRequest,
    produce: (request: PipelineRequest) => Promise<PipelineResponse>,
  ): PipelineResponse | Promise<PipelineResponse>;
  /** Returns the response to a failure of the pipeline or origin. Rethrows any other error. */
  failed(error: unknown): PipelineResponse;
}

type Outcome =
  | { readonly type: "request"; readonly request: PipelineRequest }
  | { readonly type: "response"; readonly response: PipelineResponse };

/** Whether a failed step has started to read the body. If so, nothing else can read the body. */
function isSpent(body: PipelineResponse["body"]): boolean {
  return body instanceof ReadableStream && body.locked;
}

/** @throws {PipelineFailedError} If the request cannot continue without the step */
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
  parts: PipelineParts,
  steps: readonly PlannedStep[],
  first: PipelineRequest,
): Promise<Outcome> {
  let request = first;
  for (const step of steps) {
    const result = await parts.runner.onRequest(step, request);
    if (result.type === "response") return result;
    if (result.type === "request") request = result.request;
    else if (result.type === "failed") passFailure(step, result.reason, request);
  }
  return { type: "request", request };
}

async function runResponseSteps(
  parts: PipelineParts,
  steps: readonly PlannedStep[],
  messages: { readonly request: PipelineRequest; readonly response: PipelineResponse },
): Promise<PipelineResponse> {
  let { response } = messages;
  if (response.upgrade !== undefined) return response;
  for (const step of steps) {
    const result = await parts.runner.onResponse(step, messages.request, response);
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

/** Runs everything behind the cache: the handle and the steps on the origin's side. */
async function produceAnswer(
  plan: PipelinePlan,
  parts: PipelineParts,
  request: PipelineRequest,
): Promise<PipelineResponse> {
  const inner = await runRequestSteps(parts, plan.innerRequest, request);
  if (inner.type === "response") return inner.response;
  const response = await runHandle(plan, parts, inner.request);
  return await runResponseSteps(parts, plan.innerResponse, { request: inner.request, response });
}

/** Runs a pipeline that has steps on the client's side of the cache. */
async function runAroundCache(
  plan: PipelinePlan,
  first: PipelineRequest,
  parts: PipelineParts,
): Promise<PipelineResponse> {
  let seen = first;
  const respond = async (): Promise<PipelineResponse> => {
    const outer = await runRequestSteps(parts, plan.outerRequest, first);
    if (outer.type === "response") return outer.response;
    seen = outer.request;
    const response = await parts.cached(
      seen,
      (request) => produceAnswer(plan, parts, request),
    );
    return await runResponseSteps(parts, plan.outerResponse, { request: seen, response });
  };
  const response = await respond().catch((error) => parts.failed(error));
  // Observers do not see the WebSocket of an upgrade, because the WebSocket belongs to the client's
  // connection.
  if (response.upgrade !== undefined) return response;
  for (const step of plan.observers) parts.runner.observe(step, seen, response);
  return response;
}

/**
 * Runs a pipeline and returns its response. The result is synchronous on a cache hit without steps
 * before the cache. A request step that responds ends the pipeline, so the steps after it do not
 * run. Observers see what the client gets, even if that is an error page.
 *
 * @throws any error that `failed` throws
 */
export function runPipeline(
  plan: PipelinePlan,
  first: PipelineRequest,
  parts: PipelineParts,
): PipelineResponse | Promise<PipelineResponse> {
  if (plan.runsBeforeCache) return runAroundCache(plan, first, parts);
  const response = parts.cached(first, (request) => produceAnswer(plan, parts, request));
  return response instanceof Promise ? response.catch((error) => parts.failed(error)) : response;
}

/**
 * @module Plans the order in which the steps of a pipeline run around the cache. Pure.
 *
 * A step with `cachePosition` = `before` (the default) runs on the client's side of the cache and
 * sees every request. A step with `after` runs on the origin's side, only when the cache has no
 * response, and its result is stored.
 */
import {
  cachePositionOf,
  failureOf,
  type FunctionStep,
  ORIGIN_HANDLE,
  type PipelineStep,
  runsBehindCache,
} from "../../rules/mod.ts";

export interface PlannedStep {
  /** Name of the function. */
  readonly use: string;
  /** Name of the step in the pipeline, which the function can read. */
  readonly as: string | undefined;
  /** Whether a failure ends the request (`closed`) or skips the step (`open`). */
  readonly failure: "closed" | "open";
}

export interface PipelinePlan {
  /** Request steps on the client's side. */
  readonly outerRequest: readonly PlannedStep[];
  /** Request steps on the origin's side. */
  readonly innerRequest: readonly PlannedStep[];
  /** `origin`, or the name of the function that responds. */
  readonly handle: string;
  /** Response steps on the origin's side, which run first. */
  readonly innerResponse: readonly PlannedStep[];
  /** Response steps on the client side. */
  readonly outerResponse: readonly PlannedStep[];
  readonly observers: readonly PlannedStep[];
  /** Whether a function can change what the cache stores. */
  readonly runsBehindCache: boolean;
  /** Whether a function runs even on a cache hit. */
  readonly runsBeforeCache: boolean;
}

const isFunctionStep = (step: PipelineStep): step is FunctionStep => "use" in step;

function planStep(step: FunctionStep): PlannedStep {
  return { use: step.use, as: step.as, failure: failureOf(step) };
}

/** Groups the steps of a valid pipeline. Each group keeps the author's order. */
export function planPipeline(steps: readonly PipelineStep[]): PipelinePlan {
  const functions = steps.filter(isFunctionStep);
  const pick = (mode: FunctionStep["mode"], position?: "before" | "after") =>
    functions.filter((step) =>
      step.mode === mode &&
      (position === undefined || cachePositionOf(step) === position)
    ).map(planStep);
  const handle = steps.find((step) => !isFunctionStep(step));
  const [outerRequest, outerResponse] = [pick("request", "before"), pick("response", "before")];
  const observers = pick("observe");
  return {
    outerRequest,
    innerRequest: pick("request", "after"),
    handle: handle === undefined || isFunctionStep(handle) ? ORIGIN_HANDLE : handle.handle,
    innerResponse: pick("response", "after"),
    outerResponse,
    observers,
    runsBehindCache: runsBehindCache(steps),
    runsBeforeCache: outerRequest.length + outerResponse.length + observers.length > 0,
  };
}

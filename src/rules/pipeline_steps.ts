/** @module The steps of a pipeline: their forms, their order, and their defaults. */

/** A step that runs a function on the request or the response, or as an observer of both. */
export interface FunctionStep {
  readonly use: string;
  readonly mode: "request" | "response" | "observe";
  readonly as?: string;
  readonly failure?: "closed" | "open";
  readonly cachePosition?: "before" | "after";
}

/** The step that handles the request, which is the last request step. */
export interface HandleStep {
  readonly handle: string;
}

export type PipelineStep = FunctionStep | HandleStep;

/** Returns true for the step that handles the request. */
export function isHandleStep(step: PipelineStep): step is HandleStep {
  return "handle" in step;
}

/**
 * Returns true for a request step that requests must pass. If the step fails, the requests are
 * blocked.
 */
export function isGate(step: PipelineStep): step is FunctionStep {
  return !isHandleStep(step) && step.mode === "request" && step.failure === "closed";
}

/** The handle that means "continue to terminal routing". */
export const ORIGIN_HANDLE = "origin";

/**
 * Returns the `failure` of a step: by default, `closed` for request steps and `open` for other
 * steps.
 */
export function failureOf(step: FunctionStep): "closed" | "open" {
  return step.failure ?? (step.mode === "request" ? "closed" : "open");
}

/**
 * Returns the `cachePosition` of a step: by default, `before`, which means between the client and
 * the cache.
 */
export function cachePositionOf(step: FunctionStep): "before" | "after" {
  return step.cachePosition ?? "before";
}

/**
 * Returns true if functions contribute to cached content, as the handle or as steps behind the
 * cache.
 */
export function runsBehindCache(steps: readonly PipelineStep[]): boolean {
  return steps.some((step) =>
    isHandleStep(step)
      ? step.handle !== ORIGIN_HANDLE
      : step.mode !== "observe" && cachePositionOf(step) === "after"
  );
}

/**
 * Returns the steps in the order in which they run: request steps before the cache, request steps
 * after it, the handle, response steps after the cache, response steps before it, and observers.
 * Each group is in authored order.
 */
export function runningOrder(steps: readonly PipelineStep[]): readonly PipelineStep[] {
  const functions = steps.filter((step): step is FunctionStep => !isHandleStep(step));
  const pick = (mode: FunctionStep["mode"], position?: "before" | "after") =>
    functions.filter((step) =>
      step.mode === mode && (position === undefined || cachePositionOf(step) === position)
    );
  return [
    ...pick("request", "before"),
    ...pick("request", "after"),
    ...steps.filter(isHandleStep),
    ...pick("response", "after"),
    ...pick("response", "before"),
    ...pick("observe"),
  ];
}

/** Returns the names of the functions that the pipelines of these rules use. */
export function usedFunctions(
  { rules }: {
    readonly rules: readonly {
      readonly action: { readonly type: string; readonly steps?: readonly PipelineStep[] };
    }[];
  },
): string[] {
  return rules.flatMap(({ action }) =>
    (action.steps ?? []).map((step) => isHandleStep(step) ? step.handle : step.use)
  );
}

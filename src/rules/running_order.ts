/**
 * The order in which the steps of a pipeline run, with what is meant where a
 * step does not say it.
 *
 * @module
 */
import type { FunctionStep, PipelineStep } from "./types.ts";

/** Name of the handle that means "go on to terminal routing". */
export const ORIGIN_HANDLE = "origin";

/** A missing `failure` is `closed` for request steps and `open` for others (design: "Rules"). */
export function failureOf(step: FunctionStep): "closed" | "open" {
  return step.failure ?? (step.mode === "request" ? "closed" : "open");
}

/** A missing `cachePosition` is `before`: on the client's side of the cache. */
export function cachePositionOf(step: FunctionStep): "before" | "after" {
  return step.cachePosition ?? "before";
}

const isFunctionStep = (step: PipelineStep): step is FunctionStep => "use" in step;

/**
 * True where functions take part in what the cache would keep: one that answers,
 * or steps on the origin's side.
 */
export function runsBehindCache(steps: readonly PipelineStep[]): boolean {
  return steps.some((step) =>
    isFunctionStep(step)
      ? step.mode !== "observe" && cachePositionOf(step) === "after"
      : step.handle !== ORIGIN_HANDLE
  );
}

/**
 * Request steps before the cache, request steps after it, the handle, response
 * steps after the cache, response steps before it, observers; each group in
 * authored order.
 */
export function runningOrder(steps: readonly PipelineStep[]): readonly PipelineStep[] {
  const functions = steps.filter(isFunctionStep);
  const pick = (mode: FunctionStep["mode"], position?: "before" | "after") =>
    functions.filter((step) =>
      step.mode === mode && (position === undefined || cachePositionOf(step) === position)
    );
  return [
    ...pick("request", "before"),
    ...pick("request", "after"),
    ...steps.filter((step) => !isFunctionStep(step)),
    ...pick("response", "after"),
    ...pick("response", "before"),
    ...pick("observe"),
  ];
}

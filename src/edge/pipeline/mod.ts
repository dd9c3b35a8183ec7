/**
 * Pipelines: the order of their steps around the cache, and the functions that
 * run them.
 *
 * @module
 */
export { createFunctionRunner, type SiteFunctions } from "./function_runner.ts";
export { type PipelinePlan, planPipeline } from "./plan.ts";
export { PipelineFailedError, type PipelineParts, runPipeline } from "./run_pipeline.ts";
export type { StepRunner } from "./step_runner.ts";

/**
 * Probes and metrics, for whoever operates a platform.
 *
 * @module
 */
export { answerOperations, type OperationsOptions } from "./answer_operations.ts";
export { type ProcessFacts, renderMetrics, RequestCounters } from "./metrics.ts";
export { UnhandledErrors } from "./unhandled_errors.ts";

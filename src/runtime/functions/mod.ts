/**
 * Runs the functions of a deployment.
 *
 * @module
 */
export { type Inspector } from "./inspector.ts";
export { createFunctionHost, type FunctionHost } from "./function_host.ts";
export { functionTypes } from "./function_types.ts";
export { type FunctionLimits } from "./limits.ts";
export { functionProcessCommand } from "./process_command.ts";
export { readInlineMap } from "./source_map.ts";
export {
  type FailureReason,
  type FunctionHostOptions,
  type FunctionLogEntry,
  type FunctionRequest,
  type FunctionResponse,
  type FunctionSource,
  type Invocation,
  type InvocationResult,
} from "./types.ts";
export { type CallContext } from "./wire.ts";

/**
 * Running foreign code: bundling and sealing of functions, the processes in
 * which they run, and the guard on what leaves the platform.
 *
 * @module
 */
export {
  bundleFunctions,
  type BundleResult,
  bundleServerEntry,
  type EsbuildOptions,
  findFunctions,
  type FoundFunction,
  type FoundFunctions,
  FUNCTION_NAME,
  type FunctionProblem,
  MAX_BUNDLE_BYTES,
  MAX_FUNCTIONS,
  type SealedFunction,
  sealFunction,
  type SealResult,
  type ServerBundle,
  type ServerBundleOptions,
  type ServerBundleResult,
} from "./bundle/mod.ts";
export type {
  ComputeFailure,
  ComputeHealth,
  ComputeLimits,
  ComputeLogEntry,
  ComputeRequest,
  ComputeResponse,
  ComputeResult,
  ComputeServer,
  ComputeServerOptions,
  ComputeSocket,
  ComputeSocketResult,
} from "./compute/types.ts";
export {
  type CallContext,
  createFunctionHost,
  DEFAULT_FUNCTION_LIMITS,
  type FailureReason,
  FUNCTION_PROCESS_ARGUMENT,
  type FunctionHost,
  type FunctionHostOptions,
  type FunctionLimits,
  type FunctionLogEntry,
  functionProcessCommand,
  type FunctionRequest,
  type FunctionResponse,
  type FunctionSource,
  functionTypes,
  type Invocation,
  type InvocationResult,
  type ProcessCommand,
  runFunctionProcess,
  type StepMode,
} from "./functions/mod.ts";
export {
  createOutboundFetch,
  type Dial,
  dropHopByHop,
  type HeaderList,
  isPublicAddress,
  type Outbound,
  OutboundError,
  type OutboundErrorCode,
  type OutboundFetch,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
  type ResolveDns,
} from "./outbound/mod.ts";

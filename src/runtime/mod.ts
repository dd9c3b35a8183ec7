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
export {
  COMPUTE_PROCESS_ARGUMENT,
  type ComputeFailure,
  type ComputeHealth,
  type ComputeLimits,
  type ComputeLogEntry,
  computeProcessCommand,
  type ComputeRequest,
  type ComputeResponse,
  type ComputeResult,
  type ComputeServer,
  type ComputeServerOptions,
  type ComputeSocket,
  type ComputeSocketResult,
  createComputeServer,
  DEFAULT_COMPUTE_LIMITS,
  missingSandbox,
  probeSandbox,
  runComputeProcess,
  SANDBOX_ADVICE,
  type SandboxSupport,
  SOCKET_PATH_BYTES,
  type SpawnFacts,
} from "./compute/mod.ts";
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
export { defaultMaxFunctionProcesses, defaultMaxServers } from "./process/decide_place.ts";
export { refuseInheritedDescriptors } from "./process/own_descriptors.ts";
export { ProcessPlaces } from "./process/process_places.ts";
export { defaultSocketLimits, SocketCount, type SocketLimits } from "./process/socket_count.ts";
export {
  createOutboundFetch,
  type Dial,
  type HeaderList,
  isPublicAddress,
  judgeTarget,
  type LateSignal,
  type Outbound,
  OutboundError,
  type OutboundErrorCode,
  type OutboundFetch,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
  type ResolveDns,
} from "./outbound/mod.ts";

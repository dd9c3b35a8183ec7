/**
 * Runs foreign code: bundles and seals functions and servers, runs them in
 * processes of their own, and guards the requests that leave the platform.
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
  runComputeProcess,
  SOCKET_PATH_BYTES,
  type SpawnFacts,
} from "./compute/mod.ts";
export {
  missingSandbox,
  probeSandbox,
  SANDBOX_ADVICE,
  type SandboxSupport,
} from "./compute/sandbox/mod.ts";
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
  runFunctionProcess,
  type StepMode,
} from "./functions/mod.ts";
export {
  type HeaderList,
  type LazySignal,
  OutboundError,
  type OutboundErrorCode,
} from "./http1/mod.ts";
export {
  createOutboundFetch,
  type Dial,
  isPublicAddress,
  judgeTarget,
  type Outbound,
  type OutboundFetch,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
  type ResolveDns,
} from "./outbound/mod.ts";
export {
  defaultMaxFunctionProcesses,
  defaultMaxServers,
  defaultSocketLimits,
  type ProcessCommand,
  ProcessPlaces,
  refuseInheritedDescriptors,
  SocketCount,
  type SocketLimits,
} from "./process/mod.ts";

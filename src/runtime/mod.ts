/**
 * Runs foreign code: bundles and seals functions and servers, runs them in
 * processes of their own, and guards the requests that leave the platform.
 *
 * @module
 */
export {
  bundleFunctions,
  bundleServerEntry,
  compileServerEntry,
  type EditModule,
  findFunctions,
  FUNCTION_NAME,
  MAX_FUNCTIONS,
  needsCompiling,
  type NodeNeed,
  type SealedFunction,
  sealFunction,
  type ServerBundle,
  type ServerBundleResult,
  type Trace,
  type TracedFile,
  traceServer,
} from "./bundle/mod.ts";
export {
  type ComputeFailure,
  type ComputeHealth,
  type ComputeLogEntry,
  computeProcessCommand,
  type ComputeRequest,
  type ComputeResponse,
  type ComputeResult,
  type ComputeServer,
  type ComputeServerOptions,
  type ComputeSocket,
  type ComputeSocketResult,
  connectRunningServer,
  createComputeServer,
  DEPTH_HEADER,
  MAX_DEPTH,
  type Revalidate,
  type Revalidation,
  type RunningServer,
  SOCKET_PATH_BYTES,
} from "./compute/mod.ts";
export type { LocalRoute } from "./kernel/mod.ts";
export {
  missingSandbox,
  probeSandbox,
  SANDBOX_ADVICE,
  type SandboxSupport,
} from "./compute/sandbox/mod.ts";
export {
  type CallContext,
  createFunctionHost,
  type FailureReason,
  type FunctionHost,
  type FunctionHostOptions,
  type FunctionLimits,
  type FunctionLogEntry,
  functionProcessCommand,
  type FunctionRequest,
  type FunctionResponse,
  type FunctionSource,
  functionTypes,
  type Inspector,
  type Invocation,
  type InvocationResult,
  readInlineMap,
} from "./functions/mod.ts";
export {
  type ConvertFailure,
  type ConvertJob,
  type ConvertResult,
  defaultImageProcesses,
  IMAGE_FITS,
  IMAGE_FORMATS,
  ImageEngine,
  type ImageEngineLimits,
  type ImageEngineOptions,
  type ImageFit,
  type ImageFormat,
  imageProcessCommand,
  MAX_IMAGE_SIDE,
  MAX_SOURCE_BYTES,
} from "./images/mod.ts";
export {
  announceBody,
  type ConnectionTimes,
  Deadlines,
  type HeaderList,
  Http1Connection,
  type LazySignal,
  OutboundError,
  type OutboundErrorCode,
  SIGNAL_DELAY_MS,
  type WireAnswer,
} from "./http1/mod.ts";
export {
  findNode,
  findNpm,
  type FoundKind,
  NAMESPACES_IN_CONTAINER,
  nodeProcessCommand,
  nodeSandboxAdvice,
  NodeVersionError,
  NodeVersions,
  probeNodeSandbox,
} from "./node/mod.ts";
export {
  commandProcessCommand,
  findToolchains,
  type FoundToolchain,
  type Toolchain,
  toolchainPlaces,
  TOOLCHAINS,
} from "./command/mod.ts";
export {
  createOutboundFetch,
  isPublicAddress,
  judgeTarget,
  type Outbound,
  type OutboundFetch,
  type OutboundRequest,
  type OutboundResponse,
} from "./outbound/mod.ts";
export {
  defaultMaxFunctionProcesses,
  defaultMaxServers,
  defaultSocketLimits,
  denoCache,
  type ProcessCommand,
  ProcessPlaces,
  refuseInheritedDescriptors,
  SocketCount,
  type SocketLimits,
  workerUrl,
} from "./process/mod.ts";

/** @module Runs project code in separate processes and guards outgoing requests. */
export { bundleFunctions } from "./bundle/bundle_functions.ts";
export type { FunctionProblem } from "./bundle/problems.ts";
export {
  bundleServerEntry,
  type ServerBundle,
  type ServerBundleResult,
} from "./bundle/bundle_server.ts";
export { compileServerEntry } from "./bundle/compile_server.ts";
export type { EditModule } from "./bundle/server_modules.ts";
export { findFunctions } from "./bundle/find_functions.ts";
export type { NodeNeed } from "./bundle/node_needs.ts";
export { type SealedFunction, sealFunction } from "./bundle/seal_function.ts";
export { type Trace, traceServer } from "./bundle/trace_server.ts";
export type {
  ComputeFailure,
  ComputeHealth,
  ComputeLogEntry,
  ComputeRequest,
  ComputeResponse,
  ComputeResult,
  ComputeServer,
  ComputeServerOptions,
  ComputeSocket,
  ComputeSocketResult,
} from "./compute/types.ts";
export { computeProcessCommand } from "./compute/process_command.ts";
export { connectRunningServer, type RunningServer } from "./compute/running_server.ts";
export { createComputeServer } from "./compute/compute_server.ts";
export {
  ServerLauncher,
  type SharedSpawnCommand,
  type SpawnCommand,
} from "./compute/server_launcher.ts";
export { DEPTH_HEADER, MAX_DEPTH } from "./compute/wire.ts";
export type { Revalidation } from "./compute/engine/revalidation.ts";
export { SOCKET_PATH_BYTES } from "./compute/start_server.ts";
export type { LocalRoute } from "./kernel/local_routes.ts";
export {
  missingSandbox,
  probeSandbox,
  SANDBOX_ADVICE,
  type SandboxSupport,
} from "./compute/sandbox/sandbox_support.ts";
export type { CallContext } from "./functions/wire.ts";
export { createFunctionHost, type FunctionHost } from "./functions/function_host.ts";
export type {
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionRequest,
  FunctionResponse,
  FunctionSource,
  Invocation,
  InvocationResult,
} from "./functions/types.ts";
export type { FunctionLimits } from "./functions/limits.ts";
export { functionProcessCommand } from "./functions/process_command.ts";
export { functionTypes } from "./functions/function_types.ts";
export type { Inspector } from "./functions/inspector.ts";
export { readInlineMap } from "./functions/source_map.ts";
export {
  type ConvertFailure,
  type ConvertJob,
  type ConvertResult,
  IMAGE_FORMATS,
  type ImageFit,
  type ImageFormat,
} from "./images/types.ts";
export { defaultImageProcesses, MAX_IMAGE_SIDE, MAX_SOURCE_BYTES } from "./images/limits.ts";
export { ImageEngine } from "./images/image_engine.ts";
export { imageProcessCommand } from "./images/process_command.ts";
export { announceBody } from "./http1/request_body.ts";
export { type ConnectionTimes, Http1Connection, type WireAnswer } from "./http1/connection.ts";
export { Deadlines } from "./http1/deadlines.ts";
export type { HeaderList } from "./http1/head.ts";
export { type LazySignal, SIGNAL_DELAY_MS } from "./http1/exchange_watch.ts";
export { OutboundError, type OutboundErrorCode } from "./http1/errors.ts";
export { findNode } from "./node/versions/find_node.ts";
export { findNpm } from "./node/versions/find_npm.ts";
export type { FoundKind } from "./node/sandbox/probe_kind.ts";
export {
  NAMESPACES_IN_CONTAINER,
  nodeSandboxAdvice,
  probeNodeSandbox,
} from "./node/probe_sandbox.ts";
export { nodeProcessCommand } from "./node/process_command.ts";
export { NodeVersionError } from "./node/versions/install_node.ts";
export { NodeVersions } from "./node/versions/node_versions.ts";
export { commandProcessCommand } from "./command/process_command.ts";
export {
  createOutboundFetch,
  type Outbound,
  type OutboundOptions,
} from "./outbound/outbound_fetch.ts";
export { isPublicAddress } from "./outbound/address_rules.ts";
export { judgeTarget } from "./outbound/connect.ts";
export type { OutboundFetch, OutboundRequest, OutboundResponse } from "./outbound/types.ts";
export { defaultMaxFunctionProcesses, defaultMaxServers } from "./process/decide_place.ts";
export { defaultSocketLimits, SocketCount, type SocketLimits } from "./process/socket_count.ts";
export { denoCache } from "./process/source_cache.ts";
export { type ProcessCommand, selfCommand } from "./process/self_command.ts";
export { ProcessPlaces } from "./process/process_places.ts";
export { refuseInheritedDescriptors } from "./process/own_descriptors.ts";

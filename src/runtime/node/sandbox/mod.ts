/**
 * The sandbox in which a real Node runs as the server of a deployment.
 *
 * @module
 */
export { findNamespacePrefix } from "../../process/mod.ts";
export { type LaunchNode, launchNode, prepareLaunch } from "./launch_node.ts";
export { type OwnAddress } from "./own_ports.ts";
export { planSandbox } from "./plan_sandbox.ts";
export { type FoundKind, probeKind } from "./probe_kind.ts";
export {
  LaunchError,
  type NodeCommand,
  type NodeEnd,
  type NodeLaunch,
  type NodeRequest,
  type NodeSandbox,
  type NodeSandboxKind,
  type NodeView,
  type RunningNode,
} from "./types.ts";

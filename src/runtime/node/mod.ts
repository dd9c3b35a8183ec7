/**
 * Runs the servers of deployments on Node itself: the versions of Node, and the
 * process that starts one in its sandbox.
 *
 * @module
 */
export { nodeProcessCommand } from "./process_command.ts";
export { NAMESPACES_IN_CONTAINER, nodeSandboxAdvice, probeNodeSandbox } from "./probe_sandbox.ts";
export type { FoundKind } from "./sandbox/mod.ts";
export { findNpm } from "./versions/find_npm.ts";
export { NodeVersionError } from "./versions/install_node.ts";
export { findNode } from "./versions/find_node.ts";
export { NodeVersions } from "./versions/node_versions.ts";

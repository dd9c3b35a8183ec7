/**
 * Runs the servers of deployments on Node itself: the versions of Node, and the
 * process that starts one in its sandbox.
 *
 * @module
 */
export { NODE_PROCESS_ARGUMENT, nodeProcessCommand } from "./process_command.ts";
export { runNodeProcess } from "./process_main.ts";
export { NodeVersionError } from "./versions/install_node.ts";
export { NodeVersions } from "./versions/node_versions.ts";

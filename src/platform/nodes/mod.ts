/**
 * The nodes of the platform, as its owner sees them.
 *
 * @module
 */
export { createNodes } from "./create_nodes.ts";

/**
 * The nodes of a platform.
 *
 * @module
 */
export { NODES } from "./group.ts";

/**
 * The key-value store of a project on this computer.
 *
 * @module
 */
export { KV } from "./group.ts";

/**
 * The audit log of a workspace.
 *
 * @module
 */
export { AUDIT } from "./group.ts";

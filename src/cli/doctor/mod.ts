/**
 * Checks whether this machine has what a platform needs.
 *
 * @module
 */
export { DOCTOR } from "./group.ts";

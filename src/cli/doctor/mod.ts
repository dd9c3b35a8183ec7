/**
 * What a platform needs of this machine.
 *
 * @module
 */
export { DOCTOR } from "./group.ts";

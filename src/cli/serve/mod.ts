/**
 * Running a platform on this machine.
 *
 * @module
 */
export { REKEY, SERVE } from "./group.ts";

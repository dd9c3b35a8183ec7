/**
 * Running a platform on this machine.
 *
 * @module
 */
export { BACKUP, REKEY, RESTORE, SERVE } from "./group.ts";

/**
 * Running a platform on this machine.
 *
 * @module
 */
export { BACKUP, MIGRATE_STORE, REKEY, RESTORE, SERVE } from "./group.ts";

/**
 * Backups of a data directory: one file, made of a running platform or a stopped one.
 *
 * @module
 */
export { BackupError, type BackupReport } from "./backup_layout.ts";
export { withStoreCopy } from "./copy_store.ts";
export { summariseDamage } from "./damage_list.ts";
export { type BackupOptions, makeBackup } from "./make_backup.ts";
export { restoreBackup, type RestoreOptions } from "./restore_backup.ts";
export { type Verified, verifyData, type VerifyOptions } from "./verify_data.ts";

/**
 * Backups of a data directory: one file, made of a running platform or a stopped one.
 *
 * @module
 */
export { BackupError, type BackupReport } from "./backup_layout.ts";
export { copyStore, readStoreCopy } from "./copy_store.ts";
export { type BackupOptions, makeBackup } from "./make_backup.ts";
export { restoreBackup, type RestoreOptions } from "./restore_backup.ts";

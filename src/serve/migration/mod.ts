/**
 * Moving a platform between a data directory, and PostgreSQL and an object storage.
 *
 * @module
 */
export { migrateStore } from "./migrate_store.ts";
export { MigrationError, StoreInUseError } from "./migration_error.ts";
export type { Amount, MigrationOptions, MigrationReport } from "./migration_options.ts";

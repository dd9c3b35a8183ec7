/**
 * Managed PostgreSQL databases.
 *
 * @module
 */
export { DB } from "./group.ts";
export { listBranches, listDatabases, openDatabase } from "./open_database.ts";

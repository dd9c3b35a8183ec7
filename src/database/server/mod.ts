/**
 * The engine over a PostgreSQL server: one that is there, or one that the
 * platform runs itself.
 *
 * @module
 */
export { findPostgres, type PostgresPrograms } from "./local/find_postgres.ts";
export { inspectServer, type InspectServerOptions, type ServerFacts } from "./inspect_server.ts";
export { type ClusterFacts, inspectCluster } from "./local/inspect_cluster.ts";
export { LOCAL, openServerEngine, type OpenServerOptions } from "./open_server.ts";

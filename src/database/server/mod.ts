/**
 * The engine over a PostgreSQL server: one that is there, or one that the
 * platform runs itself.
 *
 * @module
 */
export { LOCAL, openServerEngine, type OpenServerOptions } from "./open_server.ts";

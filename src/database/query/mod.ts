/**
 * Running SQL over a session, and reading it.
 *
 * @module
 */
export { runSql, type RunSqlOptions } from "./run_sql.ts";
export { splitStatements, type Statement, StatementSplitter } from "./statement_splitter.ts";
export type { Column, QueryErrorEvent, SqlEvent } from "./types.ts";

/**
 * Running SQL over a session, and reading it.
 *
 * @module
 */
export { runScript, type RunScriptOptions } from "./run_script.ts";
export { runSql, type RunSqlOptions } from "./run_sql.ts";
export { runStatement, type RunStatementOptions, type StatementResult } from "./run_statement.ts";
export type { Column, QueryErrorEvent, SqlEvent } from "./types.ts";

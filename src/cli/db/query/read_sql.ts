/**
 * Reads the SQL of `db query`: the argument, a file, or stdin.
 *
 * @module
 */
import { MAX_SQL_BYTES, MAX_SQL_LENGTH } from "../../../contract/database_queries.ts";
import { readNamedFile, readPiped } from "../../command/read_value.ts";
import { CliError } from "../../errors/cli_error.ts";
import type { Context } from "../../session/context.ts";
import { isBlankSql } from "../../../lib/sql_statements.ts";
import type { SqlSource } from "./sql_error.ts";

const STDIN = "-";

/** Reads the SQL; `undefined` where none is given and nothing is piped in. */
export async function readSql(
  ctx: Context,
  { argument, file, database, branch }: {
    readonly argument?: string | undefined;
    readonly file?: string | undefined;
    /** The database of the statement, for commands that take more than one. */
    readonly database?: string | undefined;
    readonly branch: string;
  },
): Promise<SqlSource & { readonly sql: string } | undefined> {
  if (argument !== undefined && file !== undefined) {
    throw new CliError("usage", "Pass the SQL either as an argument or with --file");
  }
  let source: SqlSource & { readonly sql: string };
  if (argument !== undefined) source = { sql: argument };
  else if (file !== undefined && file !== STDIN) {
    source = { sql: await readNamedFile(ctx, file, MAX_SQL_BYTES), file };
  } else if (file === undefined && ctx.stdinIsTerminal) return undefined;
  else source = { sql: await readPiped(ctx, MAX_SQL_BYTES) };
  if (isBlankSql(source.sql)) throw new CliError("usage", "The SQL has no statement");
  if (source.sql.length > MAX_SQL_LENGTH) {
    throw new CliError("usage", `The SQL has more than ${MAX_SQL_LENGTH} characters`, {
      next: [
        ctx.lines.ofProject(
          "db",
          "import",
          ...database === undefined ? [] : [database],
          "--branch",
          branch,
          ...file === undefined ? [] : ["--file", file],
        ),
      ],
    });
  }
  return source;
}

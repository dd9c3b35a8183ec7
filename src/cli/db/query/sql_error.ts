/** @module A PostgreSQL error: message, position in the SQL, detail, hint and SQLSTATE. */
import type { QueryEvent } from "../../../contract/database_queries.ts";
import { CliError } from "../../errors/cli_error.ts";
import { printable } from "../../terminal/format.ts";
import { caretLines, placeOf } from "./caret_lines.ts";

export type SqlErrorEvent = Extract<QueryEvent, { readonly type: "error" }>;

export interface SqlSource {
  /** Missing if the SQL is too large to keep in memory. */
  readonly sql?: string | undefined;
  /** Name of the file that contains the SQL. */
  readonly file?: string | undefined;
}

const READ_ONLY_TRANSACTION = "25006";

/** Returns a hint for an error to which PostgreSQL adds none. */
function ownHint({ message, sqlState }: SqlErrorEvent): string | undefined {
  if (sqlState === READ_ONLY_TRANSACTION) return "Remove --read-only to allow writes";
  if (/at or near "\\/.test(message)) {
    return "Remove lines that begin with a backslash: they are psql commands, not SQL";
  }
  return undefined;
}

/** Creates the error with which the command fails. */
export function sqlError(event: SqlErrorEvent, { sql, file }: SqlSource): CliError {
  const { message, sqlState, detail, position } = event;
  const hint = event.hint ?? ownHint(event);
  const place = sql === undefined || position === null ? undefined : placeOf(sql, position);
  const where = file === undefined || place === undefined
    ? []
    : [`  ${file}:${place.line}:${place.column}`];
  return new CliError("query_failed", message, {
    excerpt: [
      ...where,
      ...sql === undefined || place === undefined ? [] : caretLines(sql, place),
      ...detail === null ? [] : [`detail: ${detail}`],
      `SQLSTATE ${sqlState}`,
    ],
    ...(hint === undefined ? {} : { hint: printable(hint) }),
    details: {
      sqlState,
      detail,
      position,
      ...(place === undefined ? {} : { line: place.line, column: place.column }),
      ...(file === undefined ? {} : { file }),
    },
  });
}

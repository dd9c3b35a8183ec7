/** @module Runs SQL and forwards the events of its execution. */
import type { QueryEvent } from "../../../contract/database_queries.ts";
import { printable } from "../../terminal/format.ts";
import type { Ui } from "../../terminal/ui.ts";
import type { Output } from "./output.ts";
import { sqlError, type SqlSource } from "./sql_error.ts";

/** Severities of notices below a warning. */
const QUIET: ReadonlySet<string> = new Set(["NOTICE", "INFO", "LOG", "DEBUG"]);

/**
 * Forwards the events of a response to `output`. If the response ends with an error, throws the
 * error.
 */
export async function passEvents(
  ui: Ui,
  events: AsyncIterable<QueryEvent>,
  { output, source }: { readonly output: Output; readonly source: SqlSource },
): Promise<void> {
  for await (const event of events) {
    switch (event.type) {
      case "columns":
        output.columns(event.columns);
        break;
      case "rows":
        output.rows(event.rows);
        break;
      case "complete":
        output.complete(event.command);
        break;
      case "notice":
        ui.log("db", QUIET.has(event.severity) ? "info" : "warn", printable(event.message));
        break;
      case "error":
        throw sqlError(event, source);
    }
  }
  output.end();
}

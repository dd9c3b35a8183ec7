/** @module Converts backup errors to command errors. */
import type { BackupError } from "../../serve/mod.ts";
import { CliError } from "../errors/cli_error.ts";

/** Returns the error to show to the user. Other errors are returned unchanged. */
export function explainBackup(cause: unknown, type: typeof BackupError): unknown {
  if (!(cause instanceof type)) return cause;
  const { message, hint } = cause;
  return new CliError("backup_unusable", message, {
    hint,
    cause,
  });
}

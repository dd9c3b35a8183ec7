/** @module Converts errors of backups to errors of commands. */
import type { BackupError } from "../../serve/mod.ts";
import { CliError } from "../errors/cli_error.ts";

/** The error for the user; any other error is returned as it is. */
export function explainBackup(cause: unknown, type: typeof BackupError): unknown {
  if (!(cause instanceof type)) return cause;
  const { message, hint } = cause;
  return new CliError("backup_unusable", message, {
    hint,
    cause,
  });
}

/** @module Converts backup errors to command errors. */
import type { BackupError } from "../../serve/mod.ts";
import { CliError } from "../errors/cli_error.ts";

/** Converts a backup error to an error for the user. Returns other errors unchanged. */
export function explainBackup(cause: unknown, type: typeof BackupError): unknown {
  if (!(cause instanceof type)) return cause;
  const { message, hint } = cause;
  return new CliError("backup_unusable", message, {
    hint,
    cause,
  });
}

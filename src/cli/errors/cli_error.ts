/** @module Errors that end a command, with a message, a stable code and a hint. */
import type { Diagnostic } from "../../lib/diagnostic.ts";
import { EXIT } from "../exit_code.ts";

/** Codes of failures that the CLI detects. Codes from the platform are passed through. */
export const CLI_ERROR_CODES = [
  "usage",
  "action_required",
  "unauthorized",
  "not_found",
  "conflict",
  "config_invalid",
  "credentials_invalid",
  "build_failed",
  "app_undecided",
  "output_missing",
  "output_invalid",
  "manifest_invalid",
  "rules_invalid",
  "functions_invalid",
  "server_invalid",
  "rules_test_failed",
  "deployment_failed",
  "task_failed",
  "variables_missing",
  "variables_refused",
  "context_invalid",
  "not_runnable",
  "not_upgradable",
  "release_unusable",
  "not_writable",
  "file_unusable",
  "domain_unverified",
  "not_delivered",
  "database_failed",
  "query_failed",
  "unsupported",
  "port_in_use",
  "not_listening",
  "data_dir_in_use",
  "node_id_in_use",
  "not_replaced",
  "data_dir_unusable",
  "data_newer",
  "data_not_migrated",
  "data_incomplete",
  "backup_unusable",
  "store_unusable",
  "keys_unusable",
  "declined",
  "interrupted",
  "unreachable",
  "contract",
  "internal",
] as const;
export type CliErrorCode = (typeof CLI_ERROR_CODES)[number];

/** Diagnostics for one file. People also see the affected lines. */
export interface FileDiagnostics {
  readonly file: string;
  readonly source?: string;
  readonly diagnostics: readonly Diagnostic[];
}

interface CliErrorFacts {
  readonly hint?: string;
  /** Commands that would solve the problem. */
  readonly next?: readonly string[];
  readonly found?: FileDiagnostics;
  /** Lines to show people below the message, such as a line of SQL and a caret. */
  readonly excerpt?: readonly string[];
  /** Additional members of the JSON error object. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Exit code, if it differs from the default for the error code. */
  readonly exitCode?: number;
}

/** A failure with an explanation for the user. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    readonly code: CliErrorCode,
    message: string,
    readonly facts: CliErrorFacts = {},
  ) {
    super(message, "cause" in facts ? { cause: facts.cause } : undefined);
  }

  get exitCode(): number {
    if (this.facts.exitCode !== undefined) return this.facts.exitCode;
    if (this.code === "usage") return EXIT.usage;
    return this.code === "interrupted" ? EXIT.interrupted : EXIT.failure;
  }
}

/** Creates the error to throw if the user answered no. */
export function declined(message: string): CliError {
  return new CliError("declined", message);
}

/** Creates the error to throw if the command must ask the user, but there is no terminal. */
export function actionRequired(message: string, next: readonly string[]): CliError {
  return new CliError("action_required", message, { next });
}

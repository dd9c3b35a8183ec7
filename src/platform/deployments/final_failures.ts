/**
 * Failures that end a deployment for good.
 *
 * @module
 */
import { ChecksFailedError } from "./checks/release_checks.ts";
import {
  DatabaseNotReadyError,
  MigrationFailedError,
  ServerNotReadyError,
} from "./running_code.ts";

/** An error that fails the deployment for good. */
export type FinalFailure =
  | ServerNotReadyError
  | ChecksFailedError
  | DatabaseNotReadyError
  | MigrationFailedError;

/** Whether a deployment that failed so cannot go on. */
export const isFinal = (error: unknown): error is FinalFailure =>
  error instanceof ServerNotReadyError || error instanceof ChecksFailedError ||
  error instanceof DatabaseNotReadyError || error instanceof MigrationFailedError;

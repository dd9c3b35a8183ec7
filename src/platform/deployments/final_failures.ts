/** Failures that end a deployment permanently. @module */
import { ChecksFailedError } from "./checks/release_checks.ts";
import {
  DatabaseNotReadyError,
  MigrationFailedError,
  ServerNotReadyError,
} from "./running_code.ts";

/** An error that fails the deployment permanently. */
export type FinalFailure =
  | ServerNotReadyError
  | ChecksFailedError
  | DatabaseNotReadyError
  | MigrationFailedError;

/** Whether a deployment that failed with this error cannot continue. */
export const isFinal = (error: unknown): error is FinalFailure =>
  error instanceof ServerNotReadyError || error instanceof ChecksFailedError ||
  error instanceof DatabaseNotReadyError || error instanceof MigrationFailedError;

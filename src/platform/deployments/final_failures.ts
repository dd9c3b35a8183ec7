/** Failures that end a deployment permanently. @module */
import { ChecksFailedError } from "./checks/release_checks.ts";
import {
  DatabaseNotReadyError,
  MigrationFailedError,
  ServerNotReadyError,
} from "./running_code.ts";

/** An error that makes a deployment fail permanently. */
export type FinalFailure =
  | ServerNotReadyError
  | ChecksFailedError
  | DatabaseNotReadyError
  | MigrationFailedError;

/** Returns whether an error makes a deployment fail permanently. */
export const isFinal = (error: unknown): error is FinalFailure =>
  error instanceof ServerNotReadyError || error instanceof ChecksFailedError ||
  error instanceof DatabaseNotReadyError || error instanceof MigrationFailedError;

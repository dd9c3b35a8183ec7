/** @module The error that is thrown if a build fails because of the project. */
import type { FileFindings } from "./types.ts";

const BUILD_ERROR_CODES = [
  "build_failed",
  "app_undecided",
  "output_missing",
  "output_invalid",
  "manifest_invalid",
  "rules_invalid",
  "functions_invalid",
  "server_invalid",
] as const;
type BuildErrorCode = (typeof BUILD_ERROR_CODES)[number];

interface BuildErrorFacts {
  readonly hint?: string;
  /** Commands that would solve the problem. */
  readonly next?: readonly string[];
  readonly found?: FileFindings;
  /** More details for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A failure with an explanation for the project's author. */
export class BuildError extends Error {
  override readonly name = "BuildError";

  constructor(
    readonly code: BuildErrorCode,
    message: string,
    readonly facts: BuildErrorFacts = {},
  ) {
    super(message);
  }
}

/** @module Explains why a file cannot be read or written. */
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { printableName } from "../../lib/format.ts";
import { MissingProgramError } from "../../lib/spawn_program.ts";
import { NotUtf8Error, utf8Diagnostic } from "../../lib/utf8.ts";
import { CliError } from "./cli_error.ts";

/** Matches errors about a full disk or an exhausted quota. */
const FULL = / \(os error (?:28|122)\)/;

/**
 * Converts an error about a file to an error that describes the problem in a sentence. Returns
 * other errors unchanged.
 */
export function explainFileFault(error: unknown): unknown {
  if (error instanceof NotUtf8Error) {
    return new CliError("file_unusable", `${printableName(error.file)} is not UTF-8`, {
      found: { file: error.file, diagnostics: [utf8Diagnostic(error.fault)] },
      cause: error,
    });
  }
  if (error instanceof MissingProgramError) {
    return new CliError("unsupported", error.message, {
      hint: "Install it, or add its folder to PATH",
      cause: error,
    });
  }
  if (error instanceof CliError || !isFileFault(error)) return error;
  const path = / '([^']*)'(?: -> '.*')?$/s.exec(error.message)?.[1];
  const reason = describeFileFault(error);
  if (FULL.test(error.message)) {
    const subject = path === undefined ? "the output" : printableName(path);
    return new CliError("file_unusable", `Cannot write ${subject}: ${reason}`, {
      hint: "Free some space, or write elsewhere",
      cause: error,
    });
  }
  const subject = path === undefined ? "a file" : printableName(path);
  return new CliError("file_unusable", `Cannot use ${subject}: ${reason}`, {
    hint: "Check the owner and permissions of the file and its folder",
    cause: error,
  });
}

/**
 * Errors that a command ends with, the command lines they suggest, and how both
 * are shown.
 *
 * @module
 */
export {
  actionRequired,
  CLI_ERROR_CODES,
  CliError,
  type CliErrorCode,
  declined,
} from "./cli_error.ts";
export { type Change, cutShort, interrupted } from "./interrupted.ts";
export { explainFileFault } from "./file_fault.ts";
export { describeError, toHumanError, toJsonError } from "./report_error.ts";
export {
  createSuggestedCommands,
  type KnownFlag,
  shellWord,
  type SuggestedCommands,
} from "./suggested_commands.ts";

/** @module The exit codes of the CLI. */

/**
 * Shells use 126 for a program that cannot run, 127 for a program that does not exist, and 130 for
 * a program that was interrupted.
 */
export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  notExecutable: 126,
  noProgram: 127,
  interrupted: 130,
} as const;

/**
 * The exit codes of the CLI.
 *
 * @module
 */

/**
 * 126 and 127 are what shells use for a program that cannot be run, and that does not exist; 130 is
 * what shells use for an interrupted program.
 */
export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  notExecutable: 126,
  noProgram: 127,
  interrupted: 130,
} as const;

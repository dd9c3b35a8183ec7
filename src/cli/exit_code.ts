/**
 * The exit codes of the tool.
 *
 * @module
 */

/** 130 is what shells use for an interrupted program. */
export const EXIT = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;

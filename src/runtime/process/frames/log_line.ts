/**
 * Lines that foreign code writes to the log of its deployment.
 *
 * @module
 */

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Longest message of a log entry, in characters. */
export const MAX_LOG_CHARACTERS = 4096;

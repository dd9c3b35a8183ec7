/**
 * A line of the platform's own log, for its operator.
 *
 * @module
 */

export interface PlatformLog {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
}

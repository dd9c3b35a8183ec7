/**
 * A line of the platform's own log, for whoever runs it.
 *
 * @module
 */

export interface PlatformLog {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
}

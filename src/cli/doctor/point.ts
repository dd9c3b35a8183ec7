/**
 * One thing that `svc doctor` looks at.
 *
 * @module
 */

/** `warn` where the platform runs, but holds less. */
export type PointState = "ok" | "warn" | "fail";

export interface Point {
  readonly name: string;
  readonly state: PointState;
  /** What was found. */
  readonly found: string;
  /** What to do, where the state is not ok. */
  readonly advice?: string;
}

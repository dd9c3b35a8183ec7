/** @module The result of one check in `svc doctor`. */

/** `warn` if the platform runs, but with less protection or fewer features. */
type PointState = "ok" | "warn" | "fail";

export interface Point {
  readonly name: string;
  readonly state: PointState;
  /** The check's finding. */
  readonly found: string;
  /** How to fix the problem, if the state is not ok. */
  readonly advice?: string;
}

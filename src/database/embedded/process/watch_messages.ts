/** @module Messages between the thread of a database's backend and the thread that watches it. */

export type ToWatch =
  | {
    readonly type: "listen";
    readonly socketPath: string;
    /** Numbers (i32), at the indexes in {@link Shared}. */
    readonly shared: SharedArrayBuffer;
  }
  | {
    readonly type: "limit";
    /** Number of the run to limit. */
    readonly run: number;
    readonly milliseconds: number;
  }
  | {
    readonly type: "attend";
    /** Addresses of the words that the backend checks between two rows. */
    readonly flags: readonly bigint[];
  };

/** Represents the process itself among the client numbers. */
export const OURSELVES = 0x7fff_ffff;

/** Indexes in the memory that both threads share. */
export const Shared = {
  /** The client whose statement is running, or 0. */
  client: 0,
  /** Number of the run, which increases with each run. */
  run: 1,
  /** Number of the last run that took too long. */
  late: 2,
} as const;

export const SHARED_NUMBERS = 3;

export interface FromWatch {
  readonly type: "listening";
}

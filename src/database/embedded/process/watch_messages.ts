/**
 * What the thread of a database's backend and the one that watches it send
 * each other.
 *
 * @module
 */

export type ToWatch =
  | {
    readonly type: "listen";
    readonly socketPath: string;
    /** One number (i32): the client whose statement runs, or 0. */
    readonly running: SharedArrayBuffer;
  }
  | {
    readonly type: "attend";
    /** Addresses of the words that the backend looks at between two rows. */
    readonly flags: readonly bigint[];
  };

export interface FromWatch {
  readonly type: "listening";
}

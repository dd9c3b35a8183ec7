/** The platform's own log, for the operator. @module */

export interface PlatformLog {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
}

type WriteLine = (line: PlatformLog) => void;

/** Calls `listener` with each new line. Returns a function that stops these calls. */
export type FollowLog = (listener: WriteLine) => () => void;

export class FollowedLog {
  readonly #write: WriteLine;
  readonly #listeners = new Set<WriteLine>();

  constructor(write: WriteLine) {
    this.#write = write;
  }

  readonly write: WriteLine = (line) => {
    this.#write(line);
    for (const listener of this.#listeners) listener(line);
  };

  readonly follow: FollowLog = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

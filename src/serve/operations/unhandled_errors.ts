/** Logs and counts unhandled errors. Each one is a bug in svc. @module */
import { forgiveClosedSocketReads } from "../../lib/closed_socket_reads.ts";

/** Maximum number of logged errors per minute. Further errors are counted but not logged. */
const MAX_LOGGED = 60;
const MINUTE_MS = 60_000;

interface UnhandledErrorsOptions {
  readonly log: (line: { readonly level: "error"; readonly message: string }) => void;
  readonly now: () => number;
  readonly newId: () => string;
}

export class UnhandledErrors {
  #count = 0;
  #minute = 0;
  #logged = 0;

  readonly #options: UnhandledErrorsOptions;

  constructor(options: UnhandledErrorsOptions) {
    this.#options = options;
  }

  /** Number of unhandled errors since the start. */
  get count(): number {
    return this.#count;
  }

  /** Handles every unhandled error of this thread. */
  listen(): void {
    // This call must come first, because it adds a listener that filters out errors that are not
    // faults.
    forgiveClosedSocketReads();
    const take = (event: Event, what: string, error: unknown): void => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      this.note(what, error);
    };
    globalThis.addEventListener("error", (event) => take(event, "error", event.error));
    globalThis.addEventListener(
      "unhandledrejection",
      (event) => take(event, "rejection", event.reason),
    );
  }

  note(what: string, error: unknown): void {
    this.#count++;
    const minute = Math.floor(this.#options.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#logged = 0;
    }
    if (++this.#logged > MAX_LOGGED) return;
    const reason = error instanceof Error ? error.stack ?? error.message : String(error);
    const message = `Unhandled ${what} ${this.#options.newId()}, please report it: ${reason}`;
    this.#options.log({ level: "error", message });
  }
}

import type { ComputeFailure } from "../../runtime/mod.ts";
import { CLIENT_GONE } from "../messages/messages.ts";
import type { HeaderList } from "../messages/header_list.ts";

/** Seconds after which a client may retry an overloaded server. */
const RETRY_AFTER_SECONDS = 1;

const STATUS: Readonly<Record<ComputeFailure, number>> = {
  timeout: 504,
  overloaded: 503,
  aborted: CLIENT_GONE,
  memory: 502,
  crashed: 502,
  cannot_start: 502,
  invalid_response: 502,
};

/** A layer's server could not respond. The message is for the log only. */
export class ComputeFailedError extends Error {
  override readonly name = "ComputeFailedError";

  constructor(readonly layer: string, readonly reason: ComputeFailure, detail: string) {
    super(`Server "${layer}" failed: ${reason}: ${detail}`);
  }

  get status(): number {
    return STATUS[this.reason];
  }

  /** Headers of the page that the client gets. */
  get headers(): HeaderList {
    return this.reason === "overloaded" ? [["retry-after", String(RETRY_AFTER_SECONDS)]] : [];
  }
}

/** @module Handles a server's requests to revalidate pages: checks them and limits their rate. */
import { fromPayload } from "../process/frames/payload.ts";
import { LineLimit } from "../process/frames/log_lines.ts";
import {
  checkRevalidation,
  MAX_REVALIDATION_BYTES,
  MAX_REVALIDATIONS_PER_SECOND,
  type Revalidate,
} from "./engine/revalidation.ts";
import type { Revalidated } from "./wire.ts";

function read(payload: Uint8Array): unknown {
  if (payload.byteLength > MAX_REVALIDATION_BYTES) return undefined;
  try {
    return fromPayload(payload);
  } catch {
    return undefined;
  }
}

export class Revalidations {
  readonly #limit = new LineLimit(MAX_REVALIDATIONS_PER_SECOND);

  readonly #now: () => number;
  readonly #revalidate: Revalidate | undefined;

  /** `now` is a clock in milliseconds. Omit `revalidate` if there is no cache. */
  constructor(now: () => number, revalidate: Revalidate | undefined) {
    this.#now = now;
    this.#revalidate = revalidate;
  }

  /** Revalidates the pages in a payload. Never rejects. */
  async answer(payload: Uint8Array): Promise<Revalidated> {
    if (!this.#limit.take(this.#now()).passes) {
      return {
        problem:
          `The server sends more than ${MAX_REVALIDATIONS_PER_SECOND} revalidations per second; ` +
          "pass several paths and tags in one call",
      };
    }
    const what = checkRevalidation(read(payload));
    if ("problem" in what) return what;
    try {
      await this.#revalidate?.(what);
      return {};
    } catch (error) {
      return { problem: error instanceof Error ? error.message : "The platform failed" };
    }
  }
}

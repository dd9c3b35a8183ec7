/**
 * Why a question of a thread has no answer, as data: errors lose their class on the way.
 *
 * @module
 */
import { messageOf } from "../../lib/error_message.ts";
import { UnavailableError } from "../../lib/unavailable_error.ts";

export interface RefusalReason {
  readonly message: string;
  /** Seconds after which another attempt may succeed; missing where the platform is at fault. */
  readonly retryAfter?: number;
}

export function toRefusal(error: unknown): RefusalReason {
  const message = messageOf(error);
  return error instanceof UnavailableError
    ? { message, retryAfter: error.retryAfter }
    : { message };
}

export function toError({ message, retryAfter }: RefusalReason): Error {
  return retryAfter === undefined
    ? new Error(message)
    : new UnavailableError(message, { retryAfter });
}

/** @module The error for something that is temporarily unavailable. */

/**
 * A dependency of the platform does not respond. The message may be shown to anyone, so the details
 * are only in the cause.
 */
export class UnavailableError extends Error {
  override readonly name: string = "UnavailableError";
  /** Seconds after which another attempt may succeed, for `Retry-After`. */
  readonly retryAfter: number;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfter: number }) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

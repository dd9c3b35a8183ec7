/** API failures: a public part, and a cause that is written only to the platform's log. @module */
import type { ApiErrorBody, ErrorCode, Problem } from "../../../contract/common.ts";
import type { Explanation } from "../../../contract/error_codes/explanation.ts";
import { docsOf, PLATFORM_CODES } from "../../../contract/error_codes/platform_codes.ts";
import { UnavailableError } from "../../../lib/unavailable_error.ts";
import {
  BlobMismatchError,
  BlobTooLargeError,
  ContentionError,
  isFullDisk,
  StoreBusyError,
  StoreReadOnlyError,
} from "../store/mod.ts";

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  manifest_invalid: 400,
  rules_invalid: 400,
  blob_mismatch: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  blobs_missing: 409,
  base_unusable: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  storage_full: 507,
};

export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: ErrorCode;
  readonly problems: readonly Problem[] | undefined;
  /** Number of seconds after which a retry may succeed, for `Retry-After`. */
  readonly retryAfter: number | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: {
    readonly problems?: readonly Problem[];
    readonly retryAfter?: number;
    readonly hint?: string;
    readonly cause?: unknown;
  } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.problems = options.problems;
    this.retryAfter = options.retryAfter;
    this.hint = options.hint;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/**
 * Number of seconds after which to retry if the store was too busy, or if other writers always
 * committed first.
 */
const CONTENTION_RETRY_SECONDS = 1;

/** Returns the public failure for any thrown value. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof BlobMismatchError) return new Failure("blob_mismatch", error.message);
  if (error instanceof BlobTooLargeError) return new Failure("payload_too_large", error.message);
  if (error instanceof StoreReadOnlyError) {
    return new Failure("storage_full", error.message, { cause: error });
  }
  if (error instanceof ContentionError) {
    return new Failure(
      "conflict",
      "Cannot save: the same data was changed by someone else. Try again",
      {
        retryAfter: CONTENTION_RETRY_SECONDS,
      },
    );
  }
  if (error instanceof StoreBusyError) {
    return new Failure("unavailable", error.message, {
      retryAfter: CONTENTION_RETRY_SECONDS,
      cause: error,
    });
  }
  if (error instanceof UnavailableError) {
    const { message, retryAfter } = error;
    return new Failure("unavailable", message, { retryAfter, cause: error });
  }
  if (isFullDisk(error)) {
    return new Failure("storage_full", "Cannot store: the platform's disk is full", {
      cause: error,
    });
  }
  return new Failure("internal", "The platform failed to respond. See its log for the reason", {
    cause: error,
  });
}

/**
 * Returns a failure's hint: its own, or a remedy that applies to every failure with the same code.
 */
function hintOf({ code, hint, problems }: Failure): string | undefined {
  if (hint !== undefined) return hint;
  const explanation: Explanation = PLATFORM_CODES[code];
  const fits = explanation.isHint === true ||
    (code === "invalid_request" && problems !== undefined);
  return fits ? explanation.remedy : undefined;
}

export function failureBody(failure: Failure, requestId: string): ApiErrorBody {
  const hint = hintOf(failure);
  return {
    error: failure.message,
    code: failure.code,
    requestId,
    ...(hint === undefined ? {} : { hint }),
    docs: docsOf(failure.code),
    ...(failure.problems === undefined ? {} : { problems: [...failure.problems] }),
  };
}

/** @module Errors of calls to the platform. */
import type { ErrorCode, Problem } from "../contract/common.ts";
import { type CertificateFault, certificateFault } from "./certificate_fault.ts";

interface ApiErrorFacts {
  /** HTTP status of the response. */
  readonly status: number;
  /** The platform's error code, or `undefined` if another program responded. */
  readonly code?: ErrorCode;
  readonly problems?: readonly Problem[];
  readonly requestId?: string;
  /** Hint from the platform. */
  readonly hint?: string;
  /** Milliseconds after which the platform will accept another attempt. */
  readonly retryAfter?: number;
}

/** The platform responded with an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly problems: readonly Problem[];
  readonly requestId: string | undefined;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: ApiErrorFacts) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.problems = facts.problems ?? [];
    this.requestId = facts.requestId;
    this.hint = facts.hint;
    this.retryAfter = facts.retryAfter;
  }
}

/** No response arrived: the URL is wrong, the platform is not running, or the network failed. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";

  /** Set if the request failed because the platform's certificate was rejected. */
  readonly certificate: CertificateFault | undefined;

  constructor(
    readonly baseUrl: string,
    options: { readonly cause?: unknown; readonly message?: string },
  ) {
    const fault = certificateFault(options.cause);
    const why = fault === undefined ? "" : `: its certificate is refused because ${fault.reason}`;
    super(options.message ?? `Cannot reach the platform at ${baseUrl}${why}`, options);
    this.certificate = fault;
  }
}

/** The part of an upload that was sent before it was interrupted. */
interface CutUpload {
  /** Hashes of the blobs in the interrupted request. */
  readonly blobs: readonly string[];
  /** Number of bytes from these blobs that were sent. */
  readonly sent: number;
  readonly size: number;
}

/** The connection was lost during an upload. */
export class CutUploadError extends UnreachableError {
  constructor(readonly upload: CutUpload, cause: UnreachableError) {
    super(cause.baseUrl, { cause: cause.cause, message: cause.message });
  }
}

/** A connection was accepted, but nothing arrived for too long. */
export class NoAnswerError extends UnreachableError {
  constructor(baseUrl: string, milliseconds: number) {
    const message = `No response from the platform at ${baseUrl} within ${milliseconds / 1000} s`;
    super(baseUrl, { message });
  }
}

/** The response does not match the API. It comes from another program or another version of svc. */
export class ContractError extends Error {
  override readonly name = "ContractError";

  constructor(readonly request: string, options: { readonly cause: unknown }) {
    super(`Cannot read the response to ${request}: it does not match the API`, options);
  }
}

/** Returns whether the platform refused a request because of the key's role or permissions. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403;

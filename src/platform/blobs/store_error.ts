/**
 * The reason why a request was rejected: an S3 code with its status, and a readable message.
 *
 * @module
 */

const STATUS = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  QuotaExceeded: 507,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const;
type StoreErrorCode = keyof typeof STATUS;

export class BlobStoreError extends Error {
  override readonly name = "BlobStoreError";

  /** @param contentRange the `content-range` of a response to an unsatisfiable range */
  constructor(readonly code: StoreErrorCode, message: string, readonly contentRange?: string) {
    super(message);
  }

  get status(): number {
    return STATUS[this.code];
  }
}

export const hasCode = (error: unknown, code: StoreErrorCode): boolean =>
  error instanceof BlobStoreError && error.code === code;

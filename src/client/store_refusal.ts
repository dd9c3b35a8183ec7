/** @module Converts error responses from the S3 endpoint to API errors. */
import type { ErrorCode } from "../contract/common.ts";

const CODES: Readonly<Record<number, ErrorCode>> = {
  403: "forbidden",
  404: "not_found",
  500: "internal",
  503: "unavailable",
  507: "storage_full",
};

/** Reads the body of an error response. */
export async function readStoreRefusal(
  response: Response,
): Promise<{ readonly code: ErrorCode; readonly message: string }> {
  const { status } = response;
  const [, message = `status ${status}`] = /<Message>([^<]*)</.exec(await response.text()) ?? [];
  return { code: CODES[status] ?? "invalid_request", message };
}

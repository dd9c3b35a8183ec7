/**
 * Requests with two framings (RFC 9112, 6.1): whoever passes one on could end
 * its body elsewhere than its sender meant.
 *
 * @module
 */

import { hasField } from "../../../lib/raw_fields.ts";

/** What is wrong with the framing of a request; `undefined` for nothing. */
export function framingProblem(headers: Headers): string | undefined {
  return hasField(headers, "transfer-encoding") && hasField(headers, "content-length")
    ? "Send either Content-Length or Transfer-Encoding, not both"
    : undefined;
}

/**
 * Keeping old runtimes from compressing answers.
 *
 * `Deno.serve` before 2.9 compresses what a client would take compressed, anew
 * for every request, and makes its `ETag` weak as it does. The edge sends files
 * as they were uploaded, precompressed where the build did that, and `If-Match`
 * on an answer of the API needs a strong one
 * (docs/decisions/automatic-compression.md).
 *
 * @module
 */

import { addField, hasField, type RawField } from "../../../lib/raw_fields.ts";

const FIRST_WITHOUT = [2, 9] as const;

/** Whether `Deno.serve` of this version of Deno compresses unless it is told not to. */
export function compressesByItself(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < FIRST_WITHOUT[0] || (major === FIRST_WITHOUT[0] && minor < FIRST_WITHOUT[1]);
}

const MARK: RawField = ["content-encoding", "identity"];

/**
 * Marks an answer as encoded already, the one mark that such a runtime heeds
 * and that changes nothing else: `no-transform` would bind caches as well. Only
 * what has a type is compressed; answers whose fields cannot be changed, such
 * as redirects, have none.
 */
function markAsEncoded(request: Request, response: Response): Response {
  const { headers } = response;
  if (hasField(headers, "content-type") && !hasField(headers, "content-encoding")) {
    if (hasField(request.headers, "accept-encoding")) addField(headers, MARK);
  }
  return response;
}

type Answer = Response | Promise<Response>;

/** A handler of `Deno.serve` whose answers no runtime compresses; the given one where none would. */
export function keepUncompressed<Info>(
  handler: (request: Request, info: Info) => Answer,
  version: string = Deno.version.deno,
): (request: Request, info: Info) => Answer {
  if (!compressesByItself(version)) return handler;
  return (request, info) => {
    const answer = handler(request, info);
    return answer instanceof Promise
      ? answer.then((response) => markAsEncoded(request, response))
      : markAsEncoded(request, answer);
  };
}

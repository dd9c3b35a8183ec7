/**
 * Prevents old runtimes from compressing responses.
 *
 * `Deno.serve` before 2.9 compresses every response that the client accepts compressed, again for
 * each request, and makes its `ETag` weak. The edge sends files as uploaded, precompressed if the
 * build did that, and `If-Match` needs the strong `ETag` of an API response
 * (docs/decisions/runtime.md).
 *
 * @module
 */

import { addField, hasField, type RawField } from "./raw_fields.ts";

const FIRST_WITHOUT = [2, 9] as const;

/** Whether `Deno.serve` of this version of Deno compresses responses by default. */
export function compressesByItself(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < FIRST_WITHOUT[0] || (major === FIRST_WITHOUT[0] && minor < FIRST_WITHOUT[1]);
}

const MARK: RawField = ["content-encoding", "identity"];

/**
 * Marks a response as already encoded. Such a runtime respects no other mark without side effects:
 * `no-transform` would also affect caches. Only responses with a type are compressed; those with
 * immutable fields, such as redirects, have none.
 */
function markAsEncoded(request: Request, response: Response): Response {
  const { headers } = response;
  if (hasField(headers, "content-type") && !hasField(headers, "content-encoding")) {
    if (hasField(request.headers, "accept-encoding")) addField(headers, MARK);
  }
  return response;
}

type Answer = Response | Promise<Response>;

/**
 * A handler for `Deno.serve` whose responses no runtime compresses; `handler`
 * itself where the runtime does not compress.
 */
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
